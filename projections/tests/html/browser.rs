//! What a real browser makes of a page's HTML: every node lies where the page says, to a px.
//!
//! Headless Chromium is asked; where there is none (set `RECTO_CHROMIUM`, or have it on the path) the test says so and
//! passes over it.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use recto_projections::DesignValue;
use recto_projections::design::{Node, Side};
use recto_projections::html::{HTML_MAX_UNITS, design_to_html};
use recto_projections::text::units;
use serde_json::json;

use crate::check::{design, whole};
use crate::support::{canvas, corpora};

/// How far a side may lie off, in px: a browser lays out in 64ths, and rounds where it draws.
const TOLERANCE: f64 = 1.0;
/// Browsers stop counting px somewhere above.
const FAR: f64 = 1_000_000.0;
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];
/// Only what is needed to render one file: no network, no profile, no first run.
const FLAGS: [&str; 9] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--dump-dom",
];
/// Writes, for each page, the sides of all its nodes in the order of the document.
const MEASURE: &str = r#"<script>
document.querySelectorAll('section').forEach(page => {
  const origin = page.querySelector('[data-canvas]').getBoundingClientRect();
  const out = [];
  page.querySelectorAll('[data-node-id]').forEach(node => {
    const box = node.getBoundingClientRect();
    out.push([box.left - origin.left, box.top - origin.top, box.width, box.height]);
  });
  page.textContent = JSON.stringify(out);
});
</script>"#;

/// A box on the page around a node as it is drawn: left, top, width, height, in px.
type Drawn = [f64; 4];

#[test]
fn a_browser_lays_every_node_out_where_the_page_says() {
    let Some(browser) = browser() else {
        eprintln!("passed over: no Chromium here");
        return;
    };
    let mut pages = vec![("edges, paddings, rotations".to_owned(), design(&awkward()))];
    pages.extend(real_pages());
    let measured = measure(&browser, &pages);
    assert_eq!(measured.len(), pages.len());
    let (mut nodes, mut compared) = (0, 0);
    for ((name, page), drawn) in pages.iter().zip(&measured) {
        let expected = expected(page);
        assert_eq!(drawn.len(), expected.len(), "{name}");
        nodes += expected.len();
        for ((id, wanted), drawn) in expected.iter().zip(drawn) {
            let Some(wanted) = wanted else { continue };
            compared += 1;
            let off = wanted.iter().zip(drawn).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(
                off <= TOLERANCE,
                "{name}, node {id}: {drawn:?} where the page says {wanted:?}"
            );
        }
    }
    eprintln!("{} pages, {compared} of {nodes} nodes compared", pages.len());
    assert!(compared > nodes / 2, "{compared} of {nodes}");
}

/// What is known to draw boxes elsewhere: borders and paddings around other nodes, sizes of content, rotations in rotations.
fn awkward() -> serde_json::Value {
    let node = |id: &str, parent: Option<&str>, kind: &str, sides: [f64; 5], props: serde_json::Value| {
        let [x, y, width, height, rotation] = sides;
        json!({
            "id": id, "type": kind, "parentId": parent, "props": props,
            "geometry": {"x": x, "y": y, "width": width, "height": height, "rotation": rotation},
        })
    };
    json!({
        "attributes": {"dimensions": {"width": 1200, "height": 800}, "backgrounds": [{"id": "b", "type": "color", "color": "#eee"}]},
        "nodes": [
            node("frame", None, "group", [100.0, 50.0, 400.0, 300.0, 0.0],
                json!({"style": {"border": "12px solid red", "padding": "20px", "borderRadius": "8px"}})),
            node("in-frame", Some("frame"), "group", [10.0, 20.0, 200.0, 100.0, 30.0],
                json!({"style": {"borderLeft": "0.5em dashed blue", "borderTopWidth": "thick", "borderTopStyle": "solid"}})),
            node("deep", Some("in-frame"), "shape", [5.0, 6.0, 50.0, 40.0, -45.0], json!({"fill": "green", "strokeWidth": 3})),
            node("padded", None, "text", [600.0, 10.5, 120.0, 30.25, 0.0],
                json!({"text": "far more text than the box can hold, with  spaces\nand\tlines", "style": {"padding": "9px", "border": "3px solid"}})),
            node("empty", None, "text", [0.0, 0.0, 10.0, 10.0, 0.0], json!({"text": ""})),
            node("image", None, "image", [700.0, 300.0, 33.3, 44.4, 90.0], json!({"assetId": "a", "alt": "an image"})),
            node("film", None, "video", [-50.0, -20.0, 64.0, 48.0, 10.0], json!({"assetId": "v"})),
            node("titled", None, "group", [20.0, 500.0, 300.0, 100.0, 0.0],
                json!({"text": "a group with words of its own", "style": {"border": "5px solid", "fontSize": "40px"}})),
            node("below", Some("titled"), "image", [1.0, 2.0, 3.0, 4.0, 0.0], json!({"assetId": "a"})),
            node("thin", None, "shape", [5.0, 5.0, 0.0, 200.0, 15.0], json!({})),
        ],
    })
}

fn real_pages() -> Vec<(String, DesignValue)> {
    let mut pages = Vec::new();
    for name in corpora::files("canvas/fabric") {
        pages.push((name.clone(), design(&canvas::fabric(&corpora::json(&name).unwrap()))));
    }
    for name in corpora::files("canvas/poster") {
        pages.push((name.clone(), design(&canvas::poster(&corpora::json(&name).unwrap()))));
    }
    for name in corpora::files("canvas/excalidraw") {
        if name.ends_with(".excalidrawlib.gz") {
            let json = canvas::excalidraw_library(&corpora::json(&name).unwrap());
            pages.push((name.clone(), design(&json)));
        }
    }
    for name in corpora::files("html") {
        let html = String::from_utf8(corpora::read(&name).unwrap()).unwrap();
        if units(&html) <= HTML_MAX_UNITS {
            pages.push((name.clone(), whole(&html, &DesignValue::default()).value));
        }
    }
    pages
}

fn browser() -> Option<PathBuf> {
    if let Some(set) = std::env::var_os("RECTO_CHROMIUM") {
        return Some(set.into());
    }
    let path = std::env::var_os("PATH")?;
    let places: Vec<PathBuf> = std::env::split_paths(&path).collect();
    NAMES
        .iter()
        .find_map(|name| places.iter().map(|place| place.join(name)).find(|file| file.is_file()))
}

/// Has the browser lay the pages out, one below the other.
fn measure(browser: &PathBuf, pages: &[(String, DesignValue)]) -> Vec<Vec<Drawn>> {
    let folder = Folder::new();
    let mut html = String::from("<!doctype html><meta charset=utf-8><body>");
    for (_, page) in pages {
        html.push_str("<section>");
        html.push_str(design_to_html(page).trim_start_matches("<!doctype html>"));
        html.push_str("</section>");
    }
    html.push_str(MEASURE);
    let file = folder.0.join("pages.html");
    std::fs::write(&file, html).unwrap();
    let output = Command::new(browser)
        .args(FLAGS)
        .arg(format!("--user-data-dir={}", folder.0.join("profile").display()))
        .arg(format!("file://{}", file.display()))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let dom = String::from_utf8_lossy(&output.stdout).into_owned();
    let answers = dom
        .split("<section>")
        .skip(1)
        .map(|rest| rest.split("</section>").next().unwrap());
    answers
        .map(|json| serde_json::from_str(json).unwrap_or_else(|error| panic!("{error}: {}", first(json))))
        .collect()
}

fn first(text: &str) -> String {
    text.chars().take(200).collect()
}

/// Where the page says that each node lies; nothing where a style of its own draws it elsewhere, or no browser counts so far.
fn expected(page: &DesignValue) -> Vec<(String, Option<Drawn>)> {
    let mut found = Vec::new();
    let mut open: Vec<(&Node, Option<Matrix>)> =
        page.children_of(None).map(|node| (node, Some(Matrix::NONE))).collect();
    open.reverse();
    while let Some((node, outer)) = open.pop() {
        let matrix = outer.filter(|_| is_plain(node)).map(|outer| outer.placed(node));
        found.push((node.id().to_string(), matrix.map(|matrix| matrix.drawn(node))));
        let children: Vec<_> = page.children_of(Some(node.id())).map(|child| (child, matrix)).collect();
        open.extend(children.into_iter().rev());
    }
    found
}

fn is_plain(node: &Node) -> bool {
    let sides = [Side::X, Side::Y, Side::Width, Side::Height].map(|side| node.geometry().get(side).to_f64());
    let moved = ["transform", "display", "scale", "rotate", "translate", "zoom"];
    let style = node.props().get("style");
    sides.iter().all(|side| side.abs() < FAR)
        && sides[2] >= 0.0
        && sides[3] >= 0.0
        && moved
            .iter()
            .all(|name| style.and_then(|style| style.get(*name)).is_none())
}

/// x' = a x + c y + e, y' = b x + d y + f.
#[derive(Clone, Copy)]
struct Matrix([f64; 6]);

impl Matrix {
    const NONE: Matrix = Matrix([1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);

    /// The matrix inside a node: its place, and its rotation about its middle.
    fn placed(self, node: &Node) -> Matrix {
        let side = |side| node.geometry().get(side).to_f64();
        let (x, y) = (side(Side::Width) / 2.0, side(Side::Height) / 2.0);
        let (sin, cos) = side(Side::Rotation).to_radians().sin_cos();
        self.times([1.0, 0.0, 0.0, 1.0, side(Side::X) + x, side(Side::Y) + y])
            .times([cos, sin, -sin, cos, 0.0, 0.0])
            .times([1.0, 0.0, 0.0, 1.0, -x, -y])
    }

    fn times(self, [g, h, i, j, k, l]: [f64; 6]) -> Matrix {
        let [a, b, c, d, e, f] = self.0;
        let last = self.at(k, l);
        debug_assert!(e.is_finite() && f.is_finite());
        Matrix([
            a * g + c * h,
            b * g + d * h,
            a * i + c * j,
            b * i + d * j,
            last.0,
            last.1,
        ])
    }

    fn at(self, x: f64, y: f64) -> (f64, f64) {
        let [a, b, c, d, e, f] = self.0;
        (a * x + c * y + e, b * x + d * y + f)
    }

    fn drawn(self, node: &Node) -> Drawn {
        let width = node.geometry().get(Side::Width).to_f64();
        let height = node.geometry().get(Side::Height).to_f64();
        let corners = [(0.0, 0.0), (width, 0.0), (0.0, height), (width, height)].map(|(x, y)| self.at(x, y));
        let edge = |pick: fn(f64, f64) -> f64, of: fn(&(f64, f64)) -> f64| corners.iter().map(of).reduce(pick).unwrap();
        let (left, top) = (edge(f64::min, |at| at.0), edge(f64::min, |at| at.1));
        let (right, bottom) = (edge(f64::max, |at| at.0), edge(f64::max, |at| at.1));
        [left, top, right - left, bottom - top]
    }
}

/// A folder of this test's own, gone with it.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Folder {
        let path = std::env::temp_dir().join(format!("recto-browser-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.0));
    }
}
