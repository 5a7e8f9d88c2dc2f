//! An outcome to bytes: text for people, JSON for programs.

pub mod human;
pub mod json;
