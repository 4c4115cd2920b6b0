//! The table `[packets]` of a sensor file, checked: which packets the vendor's own sensor sends.

use understory_cloud::{OusterProduct, OusterProfile, PacketFormat, VelodyneModel};

use understory_files::Spanned;
use understory_files::sensor::{PacketName, PacketsFile};

use crate::Error;
use crate::pulse::check::Check;

/// Serial number of an Ouster whose file gives none; no real unit has it.
const SIMULATED_SERIAL: u64 = 999_999_000_001;

/// Serial numbers have 40 bits in packets.
const SERIAL_END: u64 = 1 << 40;

impl Check<'_> {
    pub(super) fn packets(
        &self,
        file: Option<&Spanned<PacketsFile>>,
    ) -> Result<Option<PacketFormat>, Error> {
        let Some(table) = file else { return Ok(None) };
        let PacketsFile { format, product, serial } = table.get_ref();
        let velodyne = |model| Ok(Some(PacketFormat::Velodyne(model)));
        let profile = match format {
            PacketName::OusterLegacy => OusterProfile::Legacy,
            PacketName::OusterRng19 => OusterProfile::Rng19,
            _ if product.is_some() || serial.is_some() => {
                return self.fault(
                    &table.span(),
                    "only Ouster's packets have a `product` and a `serial`",
                    "remove them",
                );
            }
            PacketName::Vlp16 => return velodyne(VelodyneModel::Vlp16),
            PacketName::Hdl32e => return velodyne(VelodyneModel::Hdl32e),
            PacketName::Hdl64eS2 => return velodyne(VelodyneModel::Hdl64eS2),
            PacketName::Hdl64eS3 => return velodyne(VelodyneModel::Hdl64eS3),
            PacketName::Vlp32c => return velodyne(VelodyneModel::Vlp32c),
            PacketName::Vls128 => return velodyne(VelodyneModel::Vls128),
        };
        let Some(product) = product else {
            return self.fault(
                &table.span(),
                "Ouster's packets need the product line",
                "add `product`, for example \"OS-1-64\"",
            );
        };
        let serial = match serial {
            Some(serial) if *serial.get_ref() >= SERIAL_END => {
                return self.fault(
                    &serial.span(),
                    format!("the serial number {} does not fit into a packet", serial.get_ref()),
                    "give one of at most 12 digits",
                );
            }
            Some(serial) => *serial.get_ref(),
            None => SIMULATED_SERIAL,
        };
        Ok(Some(PacketFormat::Ouster(OusterProduct { profile, product: product.clone(), serial })))
    }
}
