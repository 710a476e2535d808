// SPDX-License-Identifier: Apache-2.0

/// The reports of both databases of a store.
///
/// A repair is reported once, and the next opening finds nothing wrong. So an error after a repair has
/// to carry the report.
package struct Repairs: Hashable, Sendable {
    package internal(set) var cache = RepairReport.intact
    package internal(set) var outbox = RepairReport.intact

    package init(cache: RepairReport = .intact, outbox: RepairReport = .intact) {
        (self.cache, self.outbox) = (cache, outbox)
    }

    /// Returns these reports with later ones in their place where both have one.
    func followed(by later: Repairs) -> Repairs {
        Repairs(
            cache: later.cache == .intact ? cache : later.cache,
            outbox: later.outbox == .intact ? outbox : later.outbox)
    }
}
