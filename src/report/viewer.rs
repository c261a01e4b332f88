//! # Viewer: the script of the 3-D replay, as this program was built with it
//!
//! - **out**: scripts of a page: the bundle that `build.rs` made of `viewer/`, packed, and a loader that unpacks it; the
//!   policy that lets a page run these two and nothing else; nothing where npm was absent
//! - **start at** [`Scripts::built`]
//!
//! The bundle takes 650 kB as it is and 220 kB packed. The loader puts it into the page as an inline script, which the
//! policy admits by its hash.

use super::run::replay::{base64, gzip};
use sha2::{Digest, Sha256};

const BUNDLE: &str = include_str!(concat!(env!("OUT_DIR"), "/viewer.js"));

const LOADER: &str = "\
const here = document.getElementById('replay-here');
const packed = document.getElementById('viewer');
try {
  const bytes = Uint8Array.from(atob(packed.textContent.trim()), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  const script = document.createElement('script');
  script.type = 'module';
  script.textContent = await new Response(stream).text();
  packed.remove();
  document.head.append(script);
} catch (error) {
  here.textContent = `The replay cannot be shown here (${error.message}). Everything else in this report is complete.`;
}
";

/// The scripts of a page.
pub struct Scripts {
    packed: String,
    /// Hashes of both scripts, as the policy has them.
    hashes: [String; 2],
}

impl Scripts {
    /// The scripts that this program was built with, if npm was there.
    pub fn built() -> Option<Self> {
        let hash = |text: &str| format!("'sha256-{}'", base64(&Sha256::digest(text.as_bytes())));
        (!BUNDLE.is_empty())
            .then(|| Self { packed: base64(&gzip(BUNDLE.as_bytes())), hashes: [hash(LOADER), hash(BUNDLE)] })
    }

    /// The elements of a page with these scripts and the data of a replay (base64).
    pub fn elements(&self, data: &str) -> String {
        let packed = &self.packed;
        format!(
            "<script type=\"application/octet-stream\" id=\"run\">{data}</script>\n\
             <script type=\"application/octet-stream\" id=\"viewer\">{packed}</script>\n\
             <script type=\"module\">{LOADER}</script>\n"
        )
    }
}

/// Content-Security-Policy of a page with these scripts.
pub fn policy(scripts: Option<&Scripts>) -> String {
    let ours = scripts.map_or(String::new(), |scripts| {
        format!("script-src {} {}; img-src data: blob:; ", scripts.hashes[0], scripts.hashes[1])
    });
    format!("default-src 'none'; {ours}style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'")
}
