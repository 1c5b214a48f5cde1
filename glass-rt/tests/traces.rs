//! RED-41: what a run asks of a device, by the trace of its calls.

mod sample;

use std::fmt::Debug;
use std::sync::{Arc, Mutex};

use glass_rt::graph::{Executable, Graph};
use glass_rt::{Device, ScalarArena, VecView, Vector};
use sample::vectors::{Product, Ratio, Rows, Update};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::with_default;
use tracing::{Event, Metadata, Subscriber};

/// Calls with what they say, in order.
#[derive(Clone, Default)]
struct Calls(Arc<Mutex<Vec<String>>>);

impl Subscriber for Calls {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }
    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }
    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, event: &Event<'_>) {
        let mut call = Call(String::new());
        event.record(&mut call);
        self.0.lock().unwrap().push(call.0);
    }
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

struct Call(String);

impl Visit for Call {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        if !self.0.is_empty() {
            self.0.push(' ');
        }
        match field.name() {
            "message" => self.0 += &format!("{value:?}"),
            name => self.0 += &format!("{name}={value:?}"),
        }
    }
}

/// The calls that `work` makes.
fn calls(work: impl FnOnce()) -> Vec<String> {
    let calls = Calls::default();
    with_default(calls.clone(), work);
    calls.0.lock().unwrap().clone()
}

/// Half an iteration of a solver.
fn compiled(device: &Device) -> (Executable, impl Fn(&Executable) -> f32 + use<>) {
    let mut declaration = ScalarArena::declare();
    let [pq, alpha, rr, rq, old] =
        ["pq", "alpha", "rr", "rq", "old"].map(|name| declaration.f32(name).unwrap());
    let [ok, active] = ["ok", "active"].map(|name| declaration.u32(name).unwrap());
    let mut graph = Graph::new(device, declaration.seal());
    let [p, q, r] = [1.0f32, 0.0, 2.0].map(|value| {
        let vector = Vector::filled(device, 3000, value).unwrap();
        graph.import(VecView::from(&vector)).unwrap()
    });
    let a = graph.import_matrix(&Rows::scattered(3000, 3000).upload(device)).unwrap();
    graph.vector("product", Product { a, p, q, pq }).unwrap();
    graph.vector("ratio", Ratio { new: pq, old, beta: alpha, active }).unwrap();
    graph.vector("update", Update { q, r, alpha, rr, rq, ok }).unwrap().gated_by(active).unwrap();
    (graph.compile().unwrap(), move |executable: &Executable| executable.read(rr).unwrap())
}

#[test]
fn red_41_runs_submit_and_only_reads_wait() {
    for device in Device::all().0 {
        let (executable, read) = compiled(&device);
        // The first call of a kind prepares.
        executable.run().unwrap();
        executable.replay().unwrap();
        let made = calls(|| {
            for _ in 0..5 {
                executable.run().unwrap();
                executable.replay().unwrap();
            }
        });
        // In WGSL the operations with sums are two launches each.
        let submission = match device.target() {
            glass_rt::Target::Wgpu => "submit n_launches=5",
            _ => "submit n_launches=3",
        };
        assert_eq!(made, vec![submission; 10], "{}", device.name());
        let made = calls(|| assert!(read(&executable).is_finite()));
        assert!(made.iter().any(|call| call == "download"), "{made:?}");
        assert_eq!(made.iter().any(|call| call == "wait"), device != Device::host(), "{made:?}");
    }
}
