//! `report.html` from outside: what is in it, how large it is, and that names stay names.

mod program;

use std::fmt::Write;
use std::path::Path;

fn run(folder: &Path, arguments: &[&str]) -> (i32, String) {
    let output = program::fingerpad().arg("run").args(arguments).current_dir(folder).output().unwrap();
    (output.status.code().unwrap(), String::from_utf8_lossy(&output.stderr).into_owned())
}

fn report(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join("out").join(name).join("report.html")).unwrap()
}

/// Balls over a half-space, in rows of ten.
fn balls(name: &str, count: usize, duration: &str, period: &str) -> String {
    let mut text = format!(
        "[scene]\nname = \"{name}\"\nduration = \"{duration}\"\n[record]\nperiod = \"{period}\"\n[solver]\nstepper = \"fast\"\nstep = \"2 ms\"\n\
         [materials.rubber]\nyoung = \"1 MPa\"\npoisson = 0.45\ndensity = \"1000 kg/m^3\"\nfriction = 0.5\n\
         [[body]]\nname = \"ground\"\nfixed = true\nshape = {{ type = \"half_space\" }}\nmaterial = \"rubber\"\n"
    );
    for k in 0..count {
        let (x, y) = (0.25 * (k % 10) as f64, 0.25 * (k / 10) as f64);
        let _ = writeln!(
            text,
            "[[body]]\nname = \"ball-{k}\"\nmaterial = \"rubber\"\nshape = {{ type = \"sphere\", radius = \"50 mm\" }}\n\
             position = [{x}, {y}, {}]\nvelocity = [{}, {}, 0]",
            0.1 + 0.01 * (k % 7) as f64,
            0.05 * ((k % 5) as f64 - 2.0),
            0.05 * ((k % 3) as f64 - 1.0)
        );
    }
    text
}

/// Every part that a reader looks for is there without scripts; the policy lets nothing else run or load.
#[test]
fn a_report_has_all_its_parts() {
    let folder = tempfile::tempdir().unwrap();
    let (code, told) = run(folder.path(), &["bowl-roll"]);
    assert_eq!(code, 0, "{told}");
    let page = report(folder.path(), "bowl-roll");
    for id in ["replay", "stills", "verdicts", "summary", "energy", "contacts", "motion", "effort", "events"] {
        assert!(page.contains(&format!("<section id=\"{id}\"")), "no section {id}");
    }
    assert!(
        page.contains("default-src 'none'")
            && !page.contains("'unsafe-inline'; script")
            && !page.contains("unsafe-eval")
    );
    assert!(page.matches("<svg viewBox").count() >= 10, "{} drawings", page.matches("<svg viewBox").count());
    assert!(page.matches("aria-label").count() >= 10 && page.matches("<details>").count() >= 8);
    // Nothing from elsewhere: no address is loaded from.
    for word in ["src=\"http", "href=\"http", "@import", "url(http"] {
        let outside = page.split("<script").next().unwrap().contains(word);
        assert!(!outside, "{word}");
    }
    // Energies of the table are those of the summary.
    assert!(page.contains("E_slip") && page.contains("ledger error"));
}

/// Names with markup, quotes and other letters are shown, never run.
#[test]
fn names_are_text() {
    let folder = tempfile::tempdir().unwrap();
    let name = r#"<script>alert('x')</script> \"q\" 'p' 球"#;
    let scene = balls("plain", 1, "20 ms", "2 ms")
        .replace("ball-0", "球")
        .replace("name = \"plain\"", &format!("name = \"{name}\""));
    std::fs::write(folder.path().join("s.toml"), scene).unwrap();
    let (code, told) = run(folder.path(), &["s.toml", "--out", "out/x"]);
    assert_eq!(code, 0, "{told}");
    let page = report(folder.path(), "x");
    assert!(page.contains("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt; &quot;q&quot; &#39;p&#39; 球"));
    assert!(page.contains("</span>球</li>"), "the name of a body is lost");
    assert!(!page.contains("<script>alert") && !page.contains("alert('x')"));
}

/// 30 bodies over 30 s at 50 rows a second: at most 1.5 MB with replay, where all bounce (thousands of short contacts)
/// and where all roll and stay in contact (the greatest number of contacts times frames).
#[test]
fn thirty_bodies_for_thirty_seconds_stay_small() {
    let folder = tempfile::tempdir().unwrap();
    let bouncing = balls("thirty", 30, "30 s", "20 ms");
    let rolling = balls("rolling", 30, "30 s", "20 ms")
        .replace("friction = 0.5", "friction = 0.5\nhunt_crossley = 4")
        .lines()
        .map(|line| if line.starts_with("position") { at_rest_height(line) } else { line.to_string() + "\n" })
        .collect();
    for (name, scene) in [("thirty", bouncing), ("rolling", rolling)] {
        let file = format!("{name}.toml");
        std::fs::write(folder.path().join(&file), scene).unwrap();
        let (code, told) = run(folder.path(), &[&file]);
        assert_eq!(code, 0, "{told}");
        let page = report(folder.path(), name);
        let rows = std::fs::read_to_string(folder.path().join("out").join(name).join("contacts.csv")).unwrap();
        println!("30 bodies, 30 s, {name}: {} bytes, {} rows of contacts", page.len(), rows.lines().count() - 1);
        assert!(name == "thirty" || rows.lines().count() > 40_000, "they do not stay in contact");
        assert!(page.len() <= 1_500_000, "{name}: {} bytes", page.len());
    }
}

/// A line `position = [x, y, z]` with z so that a ball of 50 mm lies on the ground.
fn at_rest_height(line: &str) -> String {
    let (before, _) = line.rsplit_once(',').unwrap();
    format!("{before}, 0.0499]\n")
}

/// 1,000 bodies: at most 5 MB, and the page says what it left out.
#[test]
fn a_thousand_bodies_stay_below_five_megabytes() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("s.toml"), balls("thousand", 1000, "0.4 s", "2 ms")).unwrap();
    let (code, told) = run(folder.path(), &["s.toml"]);
    assert_eq!(code, 0, "{told}");
    let page = report(folder.path(), "thousand");
    println!("1000 bodies: {} bytes", page.len());
    assert!(page.len() <= 5_000_000, "{} bytes", page.len());
    assert!(page.contains("more are in bodies.csv"));
}

/// A run that ends at its first row, and one whose only body never touches anything, have reports too.
#[test]
fn short_and_empty_runs_have_reports() {
    let folder = tempfile::tempdir().unwrap();
    let alone = "[scene]\nname = \"alone\"\nduration = \"1 ns\"\n[[body]]\nname = \"b\"\nshape = { type = \"sphere\", radius = 1 }\nmass = 1\n";
    std::fs::write(folder.path().join("s.toml"), alone).unwrap();
    let (code, told) = run(folder.path(), &["s.toml"]);
    assert_eq!(code, 0, "{told}");
    let page = report(folder.path(), "alone");
    assert!(page.contains("No two bodies touched") && page.contains("The scene has no"));
}

/// A program without the viewer's bundle makes the same report but for the replay, and says how to get it.
#[test]
fn reports_are_whole_without_npm() {
    let folder = tempfile::tempdir().unwrap();
    let (code, _) = run(folder.path(), &["bouncing-ball"]);
    assert_eq!(code, 0);
    let page = report(folder.path(), "bouncing-ball");
    let built = page.contains("id=\"run\"");
    assert_eq!(built, page.contains("script-src 'sha256-"), "a policy for a script that is not there, or none for one");
    assert_eq!(!built, page.contains("built without npm"));
    assert!(page.matches("<figure class=\"plot\">").count() >= 6);
}
