//! Attributes, right and wrong, and what the compiler says about them.
//!
//! Wrong ones lie in folders by failure class, each beside the compiler's answer: `fields` (spelling), `op` (names),
//! `shape`, `index_string`, `options`, `dtype`, `tier_and_form`, `targets`, `item` (what the attribute stands on),
//! `reduce`. `TRYBUILD=overwrite cargo test -p
//! glass-ui-tests --test ui` writes the answers anew. Right ones are plain tests.
#![forbid(unsafe_code)]
