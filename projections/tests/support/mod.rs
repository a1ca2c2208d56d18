//! What several test programs share: reading the corpora, and canvases as DESIGN values.

pub mod canvas;
pub mod corpora;
