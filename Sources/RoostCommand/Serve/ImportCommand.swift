// SPDX-License-Identifier: Apache-2.0

import RoostCluster
import RoostCommandLine
import RoostHost
import RoostPages
import RoostPostgres

extension Option {
    static let movedData = Option(
        "data", .text(placeholder: "DIR"), isRequired: true,
        help: "the folder of the embedded server, which must not run; it is only read")
    static let movedFiles = Option(
        "files", .text(placeholder: "DIR"),
        help: "the folder for the uploads, which all servers share (default: leave them)")
}

extension Command {
    static let importData = Command(
        "import", summary: "moves an embedded server's data into a PostgreSQL database",
        explanation: """
            Copies the database in the folder of a stopped server, and with --files its uploads,
            reads everything back, and compares it by fingerprints. The target needs the schema of
            this version (roost migrate) and no data. Servers refuse it until the import has ended.

            The command may be interrupted at any moment: the same call continues where it was. A
            call after the end changes nothing. The password belongs into ~/.pgpass or PGPASSWORD,
            as for roost migrate.
            """,
        options: [.movedData, .database, .schema, .movedFiles],
        example: "roost import --data ./server --database postgresql://roost@db1/roost",
        exitCodes: [.done, .failed, .wrongArguments, .storage, .server],
        run: { arguments throws(CommandFailure) in
            let configuration = try PostgresConfiguration(arguments)
            let folder = arguments.requiredText(.movedData)
            let schema = "schema \(configuration.schema)"
            let files = arguments.text(.movedFiles)
            if let files, S3Settings.isLocation(files) {
                throw CommandFailure(
                    .wrongArguments,
                    "roost import copies uploads to a folder only: name one with --files, and see "
                        + "“Files” in docs/cluster.md for a bucket.")
            }
            do throws(ImportFailure) {
                // A first question that gives up soon, for a wrong address.
                try await ImportCheck.reach(configuration.hasty)
                let display = ImportDisplay()
                let outcome = try await ChatImport.run(
                    folder, into: configuration.patient, files: files,
                    note: { display.show($0) }, noteFiles: { display.showFiles($0, of: $1) })
                for line in ImportSummary.lines(outcome, schema, folder) {
                    StandardOutput.writeNow(line)
                }
            } catch {
                throw CommandFailure(error)
            }
        })
}

/// The first question to the database.
private enum ImportCheck {
    static func reach(_ configuration: PostgresConfiguration) async throws(ImportFailure) {
        do throws(PostgresError) {
            try await PostgresPool.lend(configuration) { pool throws(PostgresError) in
                try await PostgresMigrator(pool).checkIsCurrent()
            }
        } catch {
            throw ImportFailure(.database(error.kind), error.message)
        }
    }
}

/// The report of an import on standard output.
enum ImportSummary {
    static func lines(
        _ outcome: ChatImport.Outcome, _ schema: String, _ folder: String
    ) -> [String] {
        let tables = outcome.report.tables
        // After an earlier success nothing is read back, because servers change the data.
        let finding = outcome.report.wasDone ? "imported before, not compared" : "same"
        let width = tables.map(\.name.count).max() ?? 0
        var lines = tables.map { table in
            let name = table.name + String(repeating: " ", count: width - table.name.count)
            let count = "\(table.rows)"
            let space = String(repeating: " ", count: max(0, 12 - count.count))
            return "\(name) \(space)\(count) rows  \(table.fingerprint.prefix(32))  \(finding)"
        }
        if let files = outcome.files {
            lines.append(
                "files: \(Measures.count(files.copied, "file")) copied, \(files.kept) there already"
            )
        } else {
            lines.append(
                "files: \(Measures.count(outcome.uploads, "file")) left in \(folder)/files; give "
                    + "--files to copy them")
        }
        lines.append(
            outcome.report.wasDone
                ? "done already: \(schema) has the data of \(folder)"
                : "done: \(schema) has the data of \(folder), and servers may start on it")
        return lines
    }
}

extension CommandFailure {
    fileprivate init(_ failure: ImportFailure) {
        let code: ExitCode =
            switch failure.kind {
            case .folder: .storage
            case .database(let kind): Self.code(kind)
            case .refused, .different: .failed
            }
        self.init(code, failure.message)
    }
}
