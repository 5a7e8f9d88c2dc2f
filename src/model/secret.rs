//! Values that are wiped after use and never shown.

use secrecy::{ExposeSecret, SecretString};
use zeroize::Zeroize;

/// A value that may be a secret: wiped when it is dropped, and not printable.
#[derive(Clone)]
pub struct Secret(SecretString);

impl Secret {
    /// The value itself, for the agent alone.
    #[must_use]
    pub fn reveal(&self) -> &str {
        self.0.expose_secret()
    }
}

impl From<String> for Secret {
    fn from(mut value: String) -> Self {
        // A string that is turned into another may leave its old room unwiped behind.
        let secret = Self(value.as_str().into());
        value.zeroize();
        secret
    }
}

impl From<&str> for Secret {
    fn from(value: &str) -> Self {
        Self(value.into())
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("[redacted]")
    }
}
