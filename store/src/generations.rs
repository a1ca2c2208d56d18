//! A map that forgets what was not used for long: two generations, no list to keep.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::Hash;

/// A map of at most two generations of `limit` entries each. What is looked up moves to the
/// young one; when that is full it becomes the old one, and the old one is forgotten.
pub(crate) struct Generations<K, V> {
    young: HashMap<K, V>,
    old: HashMap<K, V>,
    limit: usize,
}

impl<K: Hash + Eq, V> Generations<K, V> {
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            young: HashMap::new(),
            old: HashMap::new(),
            limit: limit.max(1),
        }
    }

    pub(crate) fn get<Q>(&mut self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        if !self.young.contains_key(key) {
            let (key, value) = self.old.remove_entry(key)?;
            self.insert(key, value);
        }
        self.young.get(key)
    }

    pub(crate) fn insert(&mut self, key: K, value: V) {
        if self.young.len() >= self.limit {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(key, value);
    }

    pub(crate) fn remove<Q>(&mut self, key: &Q)
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        self.young.remove(key);
        self.old.remove(key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_keeps_what_is_used_and_forgets_the_rest() {
        let mut map = Generations::new(2);
        map.insert("used", 1);
        for key in ["a", "b", "c", "d", "e"] {
            map.insert(key, 0);
            assert_eq!(map.get("used"), Some(&1));
        }
        assert_eq!(map.get("a"), None);
        assert!(map.young.len() + map.old.len() <= 4);
        map.remove("used");
        assert_eq!(map.get("used"), None);
    }
}
