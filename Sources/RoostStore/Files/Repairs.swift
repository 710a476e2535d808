// SPDX-License-Identifier: Apache-2.0

/// How the two databases of a store were found.
///
/// A repair is reported once, and the next opening finds nothing wrong. So an error after a repair has
/// to carry the report.
package struct Repairs: Hashable, Sendable {
    package internal(set) var cache = RepairReport.intact
    package internal(set) var outbox = RepairReport.intact

    package init(cache: RepairReport = .intact, outbox: RepairReport = .intact) {
        (self.cache, self.outbox) = (cache, outbox)
    }

    /// These, and what was found later; of the same database the later one.
    func followed(by later: Repairs) -> Repairs {
        Repairs(
            cache: later.cache == .intact ? cache : later.cache,
            outbox: later.outbox == .intact ? outbox : later.outbox)
    }
}
