//! Nodes of a glTF as objects: every node that has a mesh is one, with a name of its own and the
//! label that `extras.label` gives it, as a name or a number.
//!
//! Our own files also say which nodes are copies of one object (`extras.understory.object`) and of
//! what an object's wood is made (`extras.understory.wood`).

use super::parts::{FileNode, FileObject};
use gltf::Gltf;
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::path::Path;
use understory_cloud::label_number;

/// The nodes of a scene and the objects that they are.
pub struct NodeObjects {
    /// Each after the one above it.
    pub nodes: Vec<FileNode>,
    pub objects: Vec<FileObject>,
    /// By the number of the node in the file, for those with a mesh.
    pub of_node: Vec<Option<usize>>,
}

impl NodeObjects {
    /// Of the nodes in `order`, parents first.
    pub fn of(path: &Path, gltf: &Gltf, order: &[(usize, Option<usize>)]) -> NodeObjects {
        let all: Vec<gltf::Node> = gltf.document.nodes().collect();
        let mut place_of = vec![None; all.len()];
        let mut found =
            NodeObjects { nodes: Vec::new(), objects: Vec::new(), of_node: vec![None; all.len()] };
        let mut names = Names::default();
        let mut numbered: HashMap<u64, usize> = HashMap::new();
        for &(index, parent) in order {
            let node = &all[index];
            let extras = extras(node);
            let name = node.name().map(str::to_owned).filter(|name| !name.trim().is_empty());
            let of_mesh = || node.mesh().and_then(|mesh| mesh.name().map(str::to_owned));
            let name = name.or_else(of_mesh).unwrap_or_else(|| format!("node-{index}"));
            place_of[index] = Some(found.nodes.len());
            let parent = parent.and_then(|parent| place_of[parent]);
            let label = extras.get("label").and_then(|label| label_of(path, &name, label));
            if node.mesh().is_some() {
                let ours = extras.get("understory");
                let number = ours.and_then(|ours| ours.get("object")).and_then(Value::as_u64);
                let known = number.and_then(|number| numbered.get(&number).copied());
                let object = known.unwrap_or(found.objects.len());
                if known.is_none() {
                    let wood = ours.and_then(|ours| wood(path, &name, ours.get("wood")?));
                    let name = names.unique(&name);
                    found.objects.push(FileObject { name, node: found.nodes.len(), wood });
                    numbered.extend(number.map(|number| (number, object)));
                }
                found.of_node[index] = Some(object);
            }
            found.nodes.push(FileNode { name, label, parent });
        }
        found
    }
}

/// The extras of a node, if they are any values by name.
fn extras(node: &gltf::Node) -> Value {
    let text = node.extras().as_ref().map(|raw| raw.get());
    text.and_then(|text| serde_json::from_str(text).ok()).unwrap_or(Value::Null)
}

fn label_of(path: &Path, node: &str, label: &Value) -> Option<u16> {
    let found = match label {
        Value::String(name) => label_number(name),
        Value::Number(number) => number.as_u64().and_then(|number| u16::try_from(number).ok()),
        _ => None,
    };
    if found.is_none() {
        let file = path.display();
        tracing::warn!("{file}: node {node:?} has the label {label}, which is none: left out");
    }
    found
}

fn wood(path: &Path, node: &str, wood: &Value) -> Option<(String, u16)> {
    let material = wood.get("material")?.as_str()?.to_owned();
    Some((material, label_of(path, node, wood.get("label")?)?))
}

/// Names that were given.
#[derive(Default)]
struct Names {
    taken: HashSet<String>,
    /// How often each was asked for.
    copies: HashMap<String, u64>,
}

impl Names {
    /// The name, or with `#2` … where another has it.
    fn unique(&mut self, name: &str) -> String {
        let copies = self.copies.entry(name.to_owned()).or_insert(0);
        loop {
            *copies += 1;
            let wanted = match *copies {
                1 => name.to_owned(),
                number => format!("{name}#{number}"),
            };
            if self.taken.insert(wanted.clone()) {
                return wanted;
            }
        }
    }
}
