//! Embree, loaded at run time from the wheel `embreex`: the yardstick of the tracer.
//!
//! Declarations after Embree's public API, version 4. This module is the one place outside
//! `understory-geometry` that is `unsafe`: it calls a foreign library, for measuring only.

#![allow(unsafe_code)]

use crate::Instructions;
use crate::scenes::{BenchScene, RAYS_PER_PULSE};
use anyhow::{Context, Result, bail};
use glam::{DVec3, Vec3};
use libloading::Library;
use std::ffi::{c_char, c_int, c_uint, c_void};
use std::path::Path;

type Handle = *mut c_void;

const TRIANGLES: c_int = 0;
const INSTANCE: c_int = 121;
const INDEX_BUFFER: c_int = 0;
const VERTEX_BUFFER: c_int = 1;
const UINT3: c_int = 0x5003;
const FLOAT3: c_int = 0x9003;
const FLOAT3X4_COLUMN_MAJOR: c_int = 0x9234;
const HIGH_QUALITY: c_int = 2;
const COHERENT: c_int = 1 << 16;
const NATIVE_RAY8: c_int = 33;
const NATIVE_RAY16: c_int = 34;
const INVALID: u32 = u32::MAX;

/// How Embree is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Query {
    /// One ray at a time.
    Single,
    /// The rays of a pulse in packets of eight, flagged as coherent.
    Packet8,
    /// The rays of a pulse in one packet of sixteen, flagged as coherent.
    Packet16,
}

#[repr(C)]
struct Arguments {
    flags: c_int,
    feature_mask: c_uint,
    context: *mut c_void,
    filter: *const c_void,
    intersect: *const c_void,
    spare: [u64; 4],
}

/// Rays and hits of `N` lanes as Embree lays them out.
#[repr(C, align(64))]
struct Packet<const N: usize> {
    origin: [[f32; N]; 3],
    near: [f32; N],
    direction: [[f32; N]; 3],
    time: [f32; N],
    far: [f32; N],
    mask: [u32; N],
    id: [u32; N],
    flags: [u32; N],
    normal: [[f32; N]; 3],
    uv: [[f32; N]; 2],
    primitive: [u32; N],
    geometry: [u32; N],
    instance: [u32; N],
    instance_primitive: [u32; N],
}

impl<const N: usize> Packet<N> {
    fn new(origin: [f32; 3], t_max: f32) -> Self {
        Packet {
            origin: origin.map(|x| [x; N]),
            near: [0.0; N],
            direction: [[0.0; N]; 3],
            time: [0.0; N],
            far: [t_max; N],
            mask: [u32::MAX; N],
            id: [0; N],
            flags: [0; N],
            normal: [[0.0; N]; 3],
            uv: [[0.0; N]; 2],
            primitive: [INVALID; N],
            geometry: [INVALID; N],
            instance: [INVALID; N],
            instance_primitive: [INVALID; N],
        }
    }

    fn load(&mut self, rays: &[Vec3], t_max: f32) {
        for (lane, ray) in rays.iter().enumerate() {
            for axis in 0..3 {
                self.direction[axis][lane] = ray[axis];
            }
            self.far[lane] = t_max;
            self.geometry[lane] = INVALID;
        }
    }
}

type Intersect1 = unsafe extern "C" fn(Handle, *mut Packet<1>, *mut Arguments);
type IntersectN<const N: usize> =
    unsafe extern "C" fn(*const c_int, Handle, *mut Packet<N>, *mut Arguments);

/// A committed Embree scene.
pub struct Embree {
    intersect1: Intersect1,
    intersect8: IntersectN<8>,
    intersect16: IntersectN<16>,
    scene: Handle,
    native8: bool,
    native16: bool,
}

impl Embree {
    /// Loads the library and builds `bench` with Embree's best quality.
    pub fn new(library: &Path, bench: &BenchScene, set: Option<Instructions>) -> Result<Embree> {
        // SAFETY: Embree's initialisers have no demands; the signatures below are its own.
        unsafe {
            let library = Library::new(library)
                .with_context(|| format!("{} cannot be loaded", library.display()))?;
            // Embree keeps threads that must not lose their code: it stays loaded to the end.
            let library: &'static Library = Box::leak(Box::new(library));
            macro_rules! symbol {
                ($name:literal, $signature:ty) => {
                    *library.get::<$signature>(concat!($name, "\0").as_bytes())?
                };
            }
            let new_device = symbol!("rtcNewDevice", unsafe extern "C" fn(*const c_char) -> Handle);
            let property =
                symbol!("rtcGetDeviceProperty", unsafe extern "C" fn(Handle, c_int) -> isize);
            let new_scene = symbol!("rtcNewScene", unsafe extern "C" fn(Handle) -> Handle);
            let quality = symbol!("rtcSetSceneBuildQuality", unsafe extern "C" fn(Handle, c_int));
            let new_geometry =
                symbol!("rtcNewGeometry", unsafe extern "C" fn(Handle, c_int) -> Handle);
            let new_buffer = symbol!(
                "rtcSetNewGeometryBuffer",
                unsafe extern "C" fn(Handle, c_int, c_uint, c_int, usize, usize) -> *mut c_void
            );
            let instanced =
                symbol!("rtcSetGeometryInstancedScene", unsafe extern "C" fn(Handle, Handle));
            let transform = symbol!(
                "rtcSetGeometryTransform",
                unsafe extern "C" fn(Handle, c_uint, c_int, *const f32)
            );
            let commit_geometry = symbol!("rtcCommitGeometry", unsafe extern "C" fn(Handle));
            let attach =
                symbol!("rtcAttachGeometry", unsafe extern "C" fn(Handle, Handle) -> c_uint);
            let release = symbol!("rtcReleaseGeometry", unsafe extern "C" fn(Handle));
            let commit = symbol!("rtcCommitScene", unsafe extern "C" fn(Handle));

            let device = new_device(set.map_or(std::ptr::null(), |set| set.of_embree().as_ptr()));
            if device.is_null() {
                bail!("Embree made no device");
            }
            let mut meshes = Vec::new();
            for mesh in &bench.meshes {
                let scene = new_scene(device);
                quality(scene, HIGH_QUALITY);
                let geometry = new_geometry(device, TRIANGLES);
                let vertices =
                    new_buffer(geometry, VERTEX_BUFFER, 0, FLOAT3, 12, mesh.positions.len());
                let vertices = vertices.cast::<[f32; 3]>();
                for (i, position) in mesh.positions.iter().enumerate() {
                    vertices.add(i).write(position.as_vec3().to_array());
                }
                let indices =
                    new_buffer(geometry, INDEX_BUFFER, 0, UINT3, 12, mesh.triangles.len());
                let indices = indices.cast::<[u32; 3]>();
                for (i, triangle) in mesh.triangles.iter().enumerate() {
                    indices.add(i).write(*triangle);
                }
                commit_geometry(geometry);
                attach(scene, geometry);
                release(geometry);
                commit(scene);
                meshes.push(scene);
            }
            let scene = new_scene(device);
            quality(scene, HIGH_QUALITY);
            for (mesh, world_from_mesh) in &bench.instances {
                let geometry = new_geometry(device, INSTANCE);
                instanced(geometry, meshes[*mesh]);
                let columns = world_from_mesh.to_cols_array().map(|x| x as f32);
                transform(geometry, 0, FLOAT3X4_COLUMN_MAJOR, columns.as_ptr());
                commit_geometry(geometry);
                attach(scene, geometry);
                release(geometry);
            }
            commit(scene);
            Ok(Embree {
                intersect1: symbol!("rtcIntersect1", Intersect1),
                intersect8: symbol!("rtcIntersect8", IntersectN<8>),
                intersect16: symbol!("rtcIntersect16", IntersectN<16>),
                scene,
                native8: property(device, NATIVE_RAY8) != 0,
                native16: property(device, NATIVE_RAY16) != 0,
            })
        }
    }

    /// Packet queries that this machine runs without emulation.
    pub fn packet_queries(&self) -> Vec<Query> {
        let mut queries = Vec::new();
        if self.native8 {
            queries.push(Query::Packet8);
        }
        if self.native16 {
            queries.push(Query::Packet16);
        }
        queries
    }

    /// Distances of the nearest hits, infinity for none; `rays` holds whole pulses of nine.
    pub fn trace(&self, query: Query, origin: DVec3, rays: &[Vec3], t_max: f32, out: &mut [f32]) {
        let origin = origin.as_vec3().to_array();
        match query {
            Query::Single => self.trace_single(origin, rays, t_max, out),
            Query::Packet8 => self.trace_packets(self.intersect8, origin, rays, t_max, out),
            Query::Packet16 => self.trace_packets(self.intersect16, origin, rays, t_max, out),
        }
    }

    fn trace_single(&self, origin: [f32; 3], rays: &[Vec3], t_max: f32, out: &mut [f32]) {
        let mut packet = Packet::<1>::new(origin, t_max);
        for (ray, t) in rays.iter().zip(out) {
            packet.load(std::slice::from_ref(ray), t_max);
            // SAFETY: the scene is committed and the ray laid out as Embree wants it.
            unsafe { (self.intersect1)(self.scene, &mut packet, std::ptr::null_mut()) };
            *t = if packet.geometry[0] == INVALID { f32::INFINITY } else { packet.far[0] };
        }
    }

    fn trace_packets<const N: usize>(
        &self,
        intersect: IntersectN<N>,
        origin: [f32; 3],
        rays: &[Vec3],
        t_max: f32,
        out: &mut [f32],
    ) {
        let mut arguments = Arguments {
            flags: COHERENT,
            feature_mask: c_uint::MAX,
            context: std::ptr::null_mut(),
            filter: std::ptr::null(),
            intersect: std::ptr::null(),
            spare: [0; 4],
        };
        let mut packet = Packet::<N>::new(origin, t_max);
        for (pulse, t) in rays.chunks(RAYS_PER_PULSE).zip(out.chunks_mut(RAYS_PER_PULSE)) {
            for (part, t) in pulse.chunks(N).zip(t.chunks_mut(N)) {
                let mut valid = [0; N];
                valid[..part.len()].fill(-1);
                packet.load(part, t_max);
                // SAFETY: the scene is committed and the packet laid out as Embree wants it.
                unsafe {
                    intersect(valid.as_ptr(), self.scene, &mut packet, &mut arguments);
                }
                for (lane, t) in t.iter_mut().enumerate() {
                    let missed = packet.geometry[lane] == INVALID;
                    *t = if missed { f32::INFINITY } else { packet.far[lane] };
                }
            }
        }
    }
}
