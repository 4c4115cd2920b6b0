//! Trees over triangles, instances and boxes, and how they are built.
//!
//! What enters: a [`TriangleMesh`](crate::TriangleMesh), or instances of several. What leaves: 8-wide
//! trees of [`Node8`](node8::Node8)s, a [`Blas`](blas::Blas) over the triangles of a mesh and
//! a [`Tlas`](tlas::Tlas) over instances, whose walk fits the stack of the traversal.

pub(crate) mod blas;
pub(crate) mod collapse;
pub(crate) mod crowds;
pub(crate) mod lod;
pub(crate) mod meshes;
pub(crate) mod mover;
pub(crate) mod node8;
pub(crate) mod tlas;
pub(crate) mod triangle_pack;
pub(crate) mod wide_tree;
