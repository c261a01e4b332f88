//! # Viewer: the script of the 3-D replay, as this program was built with it
//!
//! - **out**: the bundle that `build.rs` made of `viewer/`, or nothing where npm was absent; the policy that lets a page
//!   run it and nothing else
//! - **start at** [`script`]

use super::run::replay::base64;
use sha2::{Digest, Sha256};

const BUNDLE: &str = include_str!(concat!(env!("OUT_DIR"), "/viewer.js"));

/// The script as it stands in a page, if there is one.
pub fn script() -> Option<String> {
    // The only sequences that could end a script early.
    (!BUNDLE.is_empty()).then(|| BUNDLE.replace("</script", "<\\/script").replace("<!--", "<\\!--"))
}

/// Content-Security-Policy of a page with this script.
pub fn policy(script: Option<&str>) -> String {
    let ours = script.map_or(String::new(), |text| {
        let hash = base64(&Sha256::digest(text.as_bytes()));
        format!("script-src 'sha256-{hash}'; img-src data: blob:; ")
    });
    format!("default-src 'none'; {ours}style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'")
}
