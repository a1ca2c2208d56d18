//! What the benches measure with: seeded workloads, the real histories of the corpora, the floor of the disk and the
//! engine, and the figures that become the table of BENCHMARKS.md. And the loader, which sends those histories
//! through the real door.
//!
//! Nothing here is needed to build, test or run the rest. Inputs come from a seed or from a file, never from a clock,
//! so that two runs do the same work.

pub mod canvas;
pub mod client;
pub mod corpora;
mod criterion_files;
pub mod figures;
pub mod floor;
pub mod goals;
pub mod history;
pub mod load;
pub mod rng;
pub mod service;
pub mod table;
pub mod trace;
pub mod workload;
