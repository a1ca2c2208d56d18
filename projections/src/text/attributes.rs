//! Attributes of a piece of text, and patches of them: compose, diff, invert, transform.
//!
//! A patch is the same type with nulls allowed: null takes an attribute away. No attributes at all is `None`, never an
//! empty map; so every function here takes and gives `Option`s.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, OnceLock};

use serde_json::Value as Json;

use super::fault::TextFault;
use super::hash::{self, Lanes};
use crate::json::{self, same};

/// How many levels an attribute's value stands below its object.
pub(super) const VALUE_LEVEL: usize = 1;

/// A non-empty set of attributes by name, sorted by name. A clone is a reference count.
#[derive(Clone)]
pub struct Attributes(Arc<Inner>);

struct Inner {
    map: BTreeMap<String, Json>,
    canonical: Box<str>,
    lanes: OnceLock<Lanes>,
}

impl Attributes {
    /// Makes attributes of a map; an empty map is `None`.
    ///
    /// # Errors
    /// [`TextFault::Value`] for a name or a value that the rules of all values refuse.
    pub fn new(map: BTreeMap<String, Json>) -> Result<Option<Self>, TextFault> {
        let checked = |(name, value): (String, Json)| {
            json::check_key(&name)?;
            let value = json::copy(&value, VALUE_LEVEL).map_err(|flaw| flaw.rule)?;
            Ok((name, value))
        };
        match map.into_iter().map(checked).collect() {
            Ok(map) => Ok(Self::of(map)),
            Err(rule) => Err(TextFault::Value { rule }),
        }
    }

    /// Returns the value of one attribute.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Json> {
        self.0.map.get(name)
    }

    /// Goes over names and values in the order of the names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Json)> {
        self.0.map.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// Returns the first name whose value is null: allowed in a patch, never in a document.
    #[must_use]
    pub fn first_null(&self) -> Option<&str> {
        self.iter().find(|(_, value)| value.is_null()).map(|(name, _)| name)
    }

    /// Returns the attributes as compact JSON with sorted names. Equal attributes have equal texts.
    #[must_use]
    pub fn canonical(&self) -> &str {
        &self.0.canonical
    }

    /// Returns the attributes as a JSON object.
    #[must_use]
    pub fn to_json(&self) -> Json {
        Json::Object(
            self.0
                .map
                .iter()
                .map(|(name, value)| (name.clone(), value.clone()))
                .collect(),
        )
    }

    /// Lays patch `b` over `a`. Nulls of `b` are kept when `keep_null` (a patch over a patch), else they take away.
    #[must_use]
    pub fn compose(a: Option<&Self>, b: Option<&Self>, keep_null: bool) -> Option<Self> {
        match (a, b) {
            (a, None) => a.cloned(),
            (None, Some(b)) if keep_null || b.first_null().is_none() => Some(b.clone()),
            (a, Some(b)) => {
                let mut map = a.map(|a| a.0.map.clone()).unwrap_or_default();
                for (name, value) in &b.0.map {
                    if value.is_null() && !keep_null {
                        map.remove(name);
                    } else {
                        map.insert(name.clone(), value.clone());
                    }
                }
                Self::of(map)
            }
        }
    }

    /// Makes the patch that leads from `a` to `b`; `None` when they are equal.
    #[must_use]
    pub fn diff(a: Option<&Self>, b: Option<&Self>) -> Option<Self> {
        if a == b {
            return None;
        }
        let mut patch = BTreeMap::new();
        for (name, value) in names(b) {
            if a.and_then(|a| a.get(name)).is_none_or(|old| !same(old, value)) {
                patch.insert(name.clone(), value.clone());
            }
        }
        for (name, _) in names(a) {
            if b.is_none_or(|b| b.get(name).is_none()) {
                patch.insert(name.clone(), Json::Null);
            }
        }
        Self::of(patch)
    }

    /// Makes the patch that takes `patch` back where it was laid over `base`, as the reference library does: a name
    /// that `patch` sets and `base` has not comes back as null, even where `patch` holds null for it.
    #[must_use]
    pub fn invert(patch: Option<&Self>, base: Option<&Self>) -> Option<Self> {
        let mut inverse = BTreeMap::new();
        for (name, value) in names(patch) {
            match base.and_then(|base| base.get(name)) {
                Some(old) if same(old, value) => {}
                Some(old) => {
                    inverse.insert(name.clone(), old.clone());
                }
                None => {
                    inverse.insert(name.clone(), Json::Null);
                }
            }
        }
        Self::of(inverse)
    }

    /// Rewrites patch `b` so that it can be laid after patch `a`, both made over the same attributes. With
    /// `a_first`, `a` keeps what both set.
    #[must_use]
    pub fn transform(a: Option<&Self>, b: Option<&Self>, a_first: bool) -> Option<Self> {
        match (a, b) {
            (Some(a), Some(b)) if a_first => {
                let kept = b.0.map.iter().filter(|(name, _)| a.get(name).is_none());
                Self::of(kept.map(|(name, value)| (name.clone(), value.clone())).collect())
            }
            (_, b) => b.cloned(),
        }
    }

    /// Returns the two hash lanes of these attributes, made once.
    pub(super) fn lanes(&self) -> Lanes {
        *self.0.lanes.get_or_init(|| hash::attribute_lanes(&self.0.canonical))
    }

    /// Makes attributes of a map whose names and values are checked.
    pub(super) fn of(map: BTreeMap<String, Json>) -> Option<Self> {
        if map.is_empty() {
            return None;
        }
        let object = Json::Object(map.iter().map(|(name, value)| (name.clone(), value.clone())).collect());
        let canonical = object.to_string().into_boxed_str();
        Some(Self(Arc::new(Inner {
            map,
            canonical,
            lanes: OnceLock::new(),
        })))
    }
}

impl PartialEq for Attributes {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.canonical == other.0.canonical
    }
}

impl Eq for Attributes {}

impl fmt::Debug for Attributes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.canonical)
    }
}

fn names(attributes: Option<&Attributes>) -> impl Iterator<Item = (&String, &Json)> {
    attributes.into_iter().flat_map(|attributes| attributes.0.map.iter())
}
