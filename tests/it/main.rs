//! Drives the real program: scripted agents, an agent built on the official SDK, real agents.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that fails panics")]

mod attacks;
mod cases;
mod cli;
mod common;
mod config;
mod contact;
mod dialects;
mod elsewhere;
mod faults;
mod fuzz;
mod inventory;
mod levels;
mod login;
mod mcp;
mod probing;
mod processes;
mod protocol;
mod readme;
mod status;
mod terminal;
mod transcripts;
