//! Drives the real program: scripted agents, an agent built on the official SDK, real agents.

mod cases;
mod cli;
mod common;
mod config;
mod login;
mod processes;
mod protocol;
mod real_agents;
mod status;
mod terminal;
