//! The metrics of the process, and their text for Prometheus.

use std::sync::OnceLock;

use metrics::{Unit, describe_counter, describe_gauge, describe_histogram};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use recto_store::Health;

/// The upper bounds of the buckets of times, in seconds: a synced write is among the first.
const SECONDS: [f64; 16] = [
    0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 30.0,
];
/// The upper bounds of the buckets of counts.
const COUNTS: [f64; 9] = [1.0, 4.0, 16.0, 64.0, 256.0, 1024.0, 4096.0, 16_384.0, 65_536.0];

/// Where all metrics of the process come together. There is one, however many servers the process runs.
pub(crate) struct Metrics {
    handle: PrometheusHandle,
}

impl Metrics {
    /// The metrics of this process; the first call begins to record.
    pub(crate) fn global() -> &'static Self {
        static METRICS: OnceLock<Metrics> = OnceLock::new();
        METRICS.get_or_init(|| {
            let recorder = builder().build_recorder();
            let handle = recorder.handle();
            if metrics::set_global_recorder(recorder).is_err() {
                tracing::warn!("this process records its metrics elsewhere; /metrics stays empty");
            }
            describe();
            Self { handle }
        })
    }

    /// All metrics as text.
    pub(crate) fn render(&self, subscribers: usize, health: &Health) -> String {
        metrics::gauge!("recto_feed_subscribers").set(count(subscribers));
        metrics::gauge!("recto_engine_queue").set(count(health.queued));
        metrics::gauge!("recto_ready").set(f64::from(u8::from(health.ready)));
        self.handle.run_upkeep();
        self.handle.render()
    }

    /// Empties what was recorded into the buckets; called now and then where nobody reads the metrics.
    pub(crate) fn upkeep(&self) {
        self.handle.run_upkeep();
    }
}

fn builder() -> PrometheusBuilder {
    let suffix = |name: &str| Matcher::Suffix(name.to_owned());
    // Only an empty list of buckets is refused.
    PrometheusBuilder::new()
        .set_buckets_for_metric(suffix("_seconds"), &SECONDS)
        .and_then(|builder| builder.set_buckets_for_metric(suffix("_events"), &COUNTS))
        .unwrap_or_else(|_| PrometheusBuilder::new())
}

fn describe() {
    describe_counter!(
        "recto_http_requests_total",
        "Requests answered, by method, route and status"
    );
    describe_histogram!(
        "recto_http_request_seconds",
        Unit::Seconds,
        "Time to the head of the answer, by method and route"
    );
    describe_counter!("recto_problems_total", "Refusals, by code");
    describe_counter!("recto_appended_events_total", "Events appended, by kind of page");
    describe_counter!(
        "recto_conflicts_total",
        "Conflicts, by kind: `stale` counts the writes refused, the others what stood in the way of a rebase"
    );
    describe_counter!(
        "recto_rebases_total",
        "Stale writes brought to the head, by kind of page"
    );
    describe_counter!("recto_undos_total", "Undos and redos, by outcome");
    describe_counter!("recto_head_cache_total", "Looks into the cache of heads, by result");
    describe_histogram!("recto_replay_events", "Events replayed to find a state");
    describe_counter!(
        "recto_promotions_total",
        "Attachments that were to become assets, by outcome"
    );
    describe_counter!(
        "recto_assets_collected_total",
        "Assets dropped since nothing refers to them"
    );
    describe_counter!("recto_image_tasks_total", "Image tasks that ended, by outcome");
    describe_counter!(
        "recto_image_caller_errors_total",
        "Image tasks that failed by a fault of their request"
    );
    describe_counter!(
        "recto_image_service_faults_total",
        "Passing faults of the image service, by operation"
    );
    describe_counter!("recto_slots_total", "Delivery slots that ended, by outcome");
    describe_counter!("recto_snapshots_written_total", "Snapshots written");
    describe_gauge!("recto_feed_subscribers", "Feeds that are open");
    describe_gauge!("recto_feed_position", "The position that live feeds have reached");
    describe_histogram!(
        "recto_feed_delay_seconds",
        Unit::Seconds,
        "Time from an event to its live sending"
    );
    describe_counter!(
        "recto_feed_fallbacks_total",
        "Times that a slow follower went back to the log"
    );
    describe_gauge!("recto_engine_queue", "Commits that wait for their turn");
    describe_gauge!("recto_ready", "Whether writes are taken");
    describe_gauge!("recto_http_connections", "Connections that are open");
}

/// A count as the number that a gauge holds.
pub(crate) fn count(count: usize) -> f64 {
    u32::try_from(count).map_or(f64::from(u32::MAX), f64::from)
}
