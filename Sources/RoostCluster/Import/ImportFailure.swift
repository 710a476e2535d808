// SPDX-License-Identifier: Apache-2.0

package import RoostPostgres

/// The reason why an import stopped, with the remedy; the rows so far stay, and a repeat goes on.
package struct ImportFailure: Error, Sendable, CustomStringConvertible {
    /// The class of the failure, by the place of its remedy.
    package enum Kind: Equatable, Sendable {
        /// The folder of the embedded server cannot be used, or that of the files.
        case folder
        /// The database failed.
        case database(PostgresError.Kind)
        /// The database or the folder is not one that the import may use.
        case refused
        /// The copy differs from the folder.
        case different
    }

    package let kind: Kind
    /// The cause and the remedy, without content of users.
    package let message: String

    package init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }

    package var description: String { message }

    init(_ error: PostgresError) { self.init(.database(error.kind), error.message) }
}

extension ImportFailure {
    static func foreign(_ path: String) -> ImportFailure {
        ImportFailure(
            .refused,
            "\(path) is no database of a Roost server: name the folder given to roost serve.")
    }

    static func newer(_ path: String, _ found: Int, _ known: Int) -> ImportFailure {
        ImportFailure(
            .refused,
            "\(path) has schema \(found), which belongs to another version; this one knows "
                + "\(known). Import with the version of roost that served the folder last.")
    }

    static func older(_ path: String) -> ImportFailure {
        ImportFailure(
            .refused,
            "\(path) was written by an earlier version. Start roost serve of this version on its "
                + "folder once, stop it, and import again.")
    }

    static func damaged(_ path: String) -> ImportFailure {
        ImportFailure(
            .folder, "\(path) is damaged, and a copy would be too: go back to an earlier backup.")
    }

    static func unreadable(_ path: String, _ cause: any Error) -> ImportFailure {
        ImportFailure(.folder, "\(path) cannot be read; check its folder and rights. \(cause)")
    }

    static func occupied(_ schema: String) -> ImportFailure {
        ImportFailure(
            .refused,
            "The schema \(schema) has data already, and an import needs an empty one. Name another "
                + "schema by --schema, after a roost migrate for it.")
    }

    /// The schema has the data of another folder, or of an earlier state of this one.
    static func another(_ schema: String, isFinished: Bool) -> ImportFailure {
        ImportFailure(
            .refused,
            isFinished
                ? "The schema \(schema) has the data of another folder, or of an earlier state of "
                    + "this one. Name an empty schema by --schema."
                : "The import of another folder into the schema \(schema) has not ended, or a "
                    + "server has run on this folder since. Import the other folder to its end, or "
                    + "name an empty schema by --schema.")
    }

    static func concurrent(_ schema: String) -> ImportFailure {
        ImportFailure(
            .refused,
            "The import into the schema \(schema) has moved meanwhile: another roost import works "
                + "on it, or the database has lost its last commits. Run roost import again when no "
                + "other one runs; it goes on where it was.")
    }

    /// Another import has ended while this one compared, so the rows may be newer than the folder's.
    static func ended(_ schema: String) -> ImportFailure {
        ImportFailure(
            .refused,
            "The import into the schema \(schema) has already ended: another roost import has "
                + "finished it, and servers may have changed the data since. Keep the schema.")
    }

    /// Servers that were started before the import would not notice it.
    static func served(_ schema: String, by servers: [String]) -> ImportFailure {
        ImportFailure(
            .refused,
            "The schema \(schema) is in use by \(servers.joined(separator: ", ")): stop every "
                + "roost serve on it, and import again.")
    }

    /// The database could give the number of an imported message again.
    static func numbersTooLarge(_ timeline: Int64) -> ImportFailure {
        ImportFailure(
            .refused,
            "The folder has message numbers beyond those that the database gives on its timeline "
                + "\(timeline). Import into a database whose timeline is higher.")
    }

    static func different(_ table: String, _ detail: String) -> ImportFailure {
        ImportFailure(
            .different,
            "The table \(table) differs from the folder: \(detail). No server starts on this "
                + "schema. Remove the schema, or name another one, and import again.")
    }

    static let stopped = ImportFailure(
        .refused, "The import was stopped. Run roost import again; it goes on where it was.")
}
