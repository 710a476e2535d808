// SPDX-License-Identifier: Apache-2.0

import RoostCluster
import RoostCommandLine
import RoostPostgres

extension Option {
    static let database = Option(
        "database", .text(placeholder: "URL"), isRequired: true,
        help: "the PostgreSQL database, as postgresql://user@host:port/name")
    static let schema = Option(
        "schema", .text(placeholder: "NAME"), standard: "roost",
        help: "the schema of all tables in the database")
}

extension PostgresConfiguration {
    /// Reads the options of a command that works on a database once.
    init(_ arguments: Arguments) throws(CommandFailure) {
        self.init(try Self.address(arguments.requiredText(.database)))
        schema = try Self.schema(arguments)
        sessions = 2
        name = "roost command"
    }

    /// Refuses a text that is no address: the library would take it for the name of a database on
    /// this machine, and search for a server there.
    static func address(_ text: String) throws(CommandFailure) -> String {
        guard text.contains("://") || text.contains("=") else {
            // The text may have a password.
            throw CommandFailure(
                .wrongArguments,
                "--database wants an address such as postgresql://user@host:port/name.")
        }
        return text
    }

    /// Reads the name of the schema, and refuses one that is none.
    static func schema(_ arguments: Arguments) throws(CommandFailure) -> String {
        let schema = arguments.requiredText(.schema)
        guard PostgresSQL.createSchema(schema) != nil else {
            throw CommandFailure(
                .wrongArguments,
                "--schema wants at most 63 of the letters a to z, digits and _, not “\(schema)”.")
        }
        return schema
    }

    /// The configuration for a first question, which gives up soon.
    var hasty: PostgresConfiguration {
        var hasty = self
        hasty.patience = .seconds(5)
        return hasty
    }

    /// The configuration for work that outlasts a change of the primary, and builds large indexes.
    var patient: PostgresConfiguration {
        var patient = self
        patient.patience = .seconds(60)
        patient.answerPatience = EmbeddedImport.answerPatience
        return patient
    }
}

extension CommandFailure {
    init(_ error: PostgresError) { self.init(Self.code(error.kind), error.message) }

    static func code(_ kind: PostgresError.Kind) -> ExitCode {
        switch kind {
        case .library, .unreachable, .rejected, .lost, .closed: .server
        case .refused, .malformed: .failed
        }
    }
}
