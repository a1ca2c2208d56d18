//! HTML that is refused, or taken only in part.
