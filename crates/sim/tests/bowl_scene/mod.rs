//! The ball in a bowl of the oracle files.

use fingerpad_contact::law::{Constants, ContactLaw, Damping, Friction, Stiffness};
use fingerpad_contact::spatial::SpatialVelocity;
use fingerpad_contact::surface::graph::{Rectangle, Term};
use fingerpad_contact::surface::{Graph, Shape, Sphere};
use fingerpad_sim::{Body, BodyId, Interactions, Load, Model, PairLaw, Parts, Places, Profile, State};
use nalgebra::{Isometry3, Matrix3, Vector3};
use serde_json::Value;

/// An oracle file.
pub fn read(name: &str) -> Value {
    let path = format!("{}/tests/oracle/bowl_{name}.json", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// Its model and start.
pub fn scene(data: &Value) -> (Model, State) {
    let p = &data["params"];
    let x = |key: &str| p[key].as_f64().unwrap();
    let vector = |v: &Value| Vector3::from_iterator(v.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()));
    let bowl = [0, 1].map(|i| p["bowl"][i].as_f64().unwrap());
    let terms = vec![Term { p: 2, q: 0, c: bowl[0] }, Term { p: 0, q: 2, c: bowl[1] }];
    let ground = Shape::Graph(Graph::polynomial(terms, Rectangle::PLANE).unwrap());
    let friction = data["meta"]["friction"].as_str().unwrap();
    let rubbing = friction != "frictionless";
    let law = ContactLaw {
        stiffness: Stiffness::Constants(Constants {
            k: x("k"),
            n: x("n"),
            k_t: x("k_t"),
            k_theta: x("k_theta"),
            e_n: x("e_n"),
        }),
        damping: Damping {
            hunt_crossley: x("c_hc"),
            normal: x("b_kv"),
            tangential: if rubbing { x("b_t") } else { 0.0 },
            torsional: if rubbing { x("b_theta") } else { 0.0 },
        },
        friction: match friction {
            "frictionless" => Friction::None,
            "stick" => Friction::Sticks,
            _ => Friction::Coulomb { mu: x("mu") },
        },
        partial: None,
    };
    let c = vector(&p["C0"]);
    let shape = Shape::Sphere(Sphere::new(x("radius")).unwrap());
    let ball = Body::free("ball", shape, x("mass"), Matrix3::identity() * x("inertia"))
        .at(Isometry3::translation(c.x, c.y, c.z))
        .moving(SpatialVelocity::new(vector(&p["w0"]), vector(&p["V0"])));
    let (t0, duration) = (p["pulse"]["t0"].as_f64().unwrap(), p["pulse"]["duration"].as_f64().unwrap());
    let pulse = Load {
        body: BodyId(1),
        f_W: vector(&p["pulse"]["peak_force"]),
        t_W: Vector3::zeros(),
        p_BoQ: None,
        profile: Profile::Pulse { t0, duration },
    };
    let law = PairLaw { law, alpha: x("alpha"), places: Places::Closest };
    let model = Model::new(Parts {
        bodies: vec![Body::fixed("ground", ground), ball],
        interactions: Interactions::of_pairs(vec![(BodyId(0), BodyId(1), law)]),
        gravity_W: Vector3::new(0.0, 0.0, -x("g")),
        loads: vec![pulse],
        kicks: Vec::new(),
        ..Parts::default()
    })
    .unwrap();
    let state = model.start().unwrap();
    (model, state)
}
