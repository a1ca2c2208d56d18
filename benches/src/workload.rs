//! Seeded page values and edits of every kind and size.

pub mod design;
pub mod doc;
pub mod text;
