#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| acp_auth::fuzzing::definitions(bytes));
