//! What a workspace used, by day: a sum over the records that its commands left.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use recto_projections::Kind;
use recto_store::{Id, RecordKey};

use super::billing::{BillingClass, Charge};
use crate::actor::ActorKind;
use crate::error::ReadError;
use crate::service::Pages;

/// The record table with one entry a billed command, by day, page and command.
pub(crate) static USAGE_TABLE: LazyLock<Id> =
    LazyLock::new(|| Id::new("usage").unwrap_or_else(|fault| unreachable!("it is an id: {fault}")));
/// The most days that are summed at once.
pub const USAGE_DAYS_MAX: i64 = 400;
/// Records read at a time.
const RECORDS_AT_ONCE: usize = 4096;

/// Days in UTC, both counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UsageRange {
    from: Date,
    to: Date,
}

/// What was used on a day, of one class, on pages of one kind, by actors of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DayUsage {
    /// The day in UTC, as `2026-11-30`.
    pub day: String,
    /// What it is billed as.
    pub class: BillingClass,
    /// The kind of the pages.
    pub kind: Kind,
    /// Who wrote.
    pub actor: ActorKind,
    /// How many commands.
    pub commands: u64,
    /// Their units.
    pub units: u64,
}

impl UsageRange {
    /// Takes two days as `2026-11-30`; nothing unless they are days in their order, at most [`USAGE_DAYS_MAX`] of them.
    #[must_use]
    pub fn new(from: &str, to: &str) -> Option<Self> {
        // A date also reads from a time; only ten letters are a day.
        let day = |text: &str| text.parse::<Date>().ok().filter(|day| day.to_string() == text);
        let (from, to) = (day(from)?, day(to)?);
        let days = i64::from(from.until(to).ok()?.get_days()) + 1;
        (1..=USAGE_DAYS_MAX).contains(&days).then_some(Self { from, to })
    }
}

impl Pages {
    /// Sums what a workspace used, by day, class and kind, in that order.
    ///
    /// # Errors
    /// Where the store cannot be read.
    pub async fn usage(&self, scope: &Id, range: UsageRange) -> Result<Vec<DayUsage>, ReadError> {
        let (first, last) = (range.from.to_string(), range.to.to_string());
        let mut sums: BTreeMap<(String, BillingClass, u8, &'static str), DayUsage> = BTreeMap::new();
        // A day alone sorts before everything of that day.
        let mut after = Some(RecordKey::new(&first).map_err(|fault| ReadError::Unavailable {
            reason: fault.to_string(),
        })?);
        loop {
            let table = &*USAGE_TABLE;
            let records = self
                .store()
                .records(scope, table, "", after.as_ref(), RECORDS_AT_ONCE)
                .await?;
            for record in &records {
                let day = record.key.parts().next().unwrap_or_default();
                if day > last.as_str() {
                    return Ok(sums.into_values().collect());
                }
                let charge = Charge::from_record(&record.value).ok_or_else(|| ReadError::Corrupt {
                    version: 0,
                    what: format!("the usage record {:?} does not decode", record.key.as_str()),
                })?;
                add(&mut sums, day, &charge);
            }
            if records.len() < RECORDS_AT_ONCE {
                return Ok(sums.into_values().collect());
            }
            after = records.last().map(|record| record.key.clone());
        }
    }
}

/// The day of a time in ms since 1970, in UTC.
pub(crate) fn day_of(time_ms: i64) -> String {
    let time = Timestamp::from_millisecond(time_ms).unwrap_or(Timestamp::UNIX_EPOCH);
    TimeZone::UTC.to_datetime(time).date().to_string()
}

fn add(sums: &mut BTreeMap<(String, BillingClass, u8, &'static str), DayUsage>, day: &str, charge: &Charge) {
    let key = (day.to_owned(), charge.class, charge.kind.code(), charge.actor.as_str());
    let sum = sums.entry(key).or_insert_with(|| DayUsage {
        day: day.to_owned(),
        class: charge.class,
        kind: charge.kind,
        actor: charge.actor,
        commands: 0,
        units: 0,
    });
    sum.commands += 1;
    sum.units = sum.units.saturating_add(charge.units);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_days_in_their_order_and_not_too_many() {
        assert!(UsageRange::new("2026-11-30", "2026-11-30").is_some());
        assert!(UsageRange::new("2026-01-01", "2026-12-31").is_some());
        for (from, to) in [
            ("2026-11-30", "2026-11-29"),
            ("2024-01-01", "2026-12-31"),
            ("2026-11-31", "2026-12-01"),
            ("20261130", "20261201"),
            ("yesterday", "today"),
            ("", ""),
        ] {
            assert!(UsageRange::new(from, to).is_none(), "{from} {to}");
        }
        assert_eq!(day_of(1_764_499_200_042), "2025-11-30");
    }
}
