//! What all codecs of an encoding share.
//!
//! Tables are made once per process, when the first codec needs them, and never freed: a program that
//! converts many short texts makes a codec for each of them.

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Shared values, each with a key.
pub struct Registry<K, T: 'static>(Mutex<Vec<(K, &'static T)>>);

impl<K: PartialEq, T> Registry<K, T> {
    /// Returns a registry without values.
    pub const fn new() -> Registry<K, T> {
        Registry(Mutex::new(Vec::new()))
    }

    /// Returns the value of a key, which the first call creates.
    pub fn get_or_init(&self, key: K, new: impl FnOnce() -> T) -> &'static T {
        let mut values = lock(&self.0);
        if let Some((_, value)) = values.iter().find(|(known, _)| *known == key) {
            return value;
        }
        let value = Box::leak(Box::new(new()));
        values.push((key, value));
        value
    }
}

impl<K, T> fmt::Debug for Registry<K, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registry").finish_non_exhaustive()
    }
}

/// Locks a mutex. No function panics while it holds one, so what it protects is intact.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn value_is_created_once_per_key() {
        static REGISTRY: Registry<u8, String> = Registry::new();
        let one = REGISTRY.get_or_init(1, || "one".to_owned());
        let two = REGISTRY.get_or_init(2, || "two".to_owned());
        assert_eq!((one.as_str(), two.as_str()), ("one", "two"));
        assert!(std::ptr::eq(one, REGISTRY.get_or_init(1, || unreachable!())));
    }
}
