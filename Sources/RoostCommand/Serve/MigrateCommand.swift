// SPDX-License-Identifier: Apache-2.0

import RoostCluster
import RoostCommandLine
import RoostPages
import RoostPostgres

extension Command {
    static let migrate = Command(
        "migrate", summary: "brings a PostgreSQL database to the schema of this version",
        explanation: """
            Creates the schema if it is missing, prints each migration that the database lacks, and
            applies it as one transaction. Run it before the first server of a version. Servers of
            the version before may run meanwhile, because a migration only adds. Of two runs at
            once, one waits for the other.

            After a restore from a dump (pg_dump) or from a copy of an earlier moment, run it once
            with --restored, before the first server: the database would give numbers of messages
            and changes again that clients know already.

            The password may be part of the URL, which other users of this machine can see. Better
            places are the variable PGPASSWORD and the file ~/.pgpass. It is never printed.
            """,
        options: [.database, .schema, .dryRun, .restored],
        example: "roost migrate --database postgresql://roost@db1:5432/roost",
        exitCodes: [.done, .failed, .wrongArguments, .server],
        run: { arguments throws(CommandFailure) in
            try arguments.refuseSeveral(of: [.dryRun, .restored])
            let configuration = try PostgresConfiguration(arguments)
            let schema = "schema \(configuration.schema)"
            let state: PostgresMigrator.State
            do throws(PostgresError) {
                state = try await PostgresPool.lend(configuration.hasty) {
                    pool throws(PostgresError) in try await PostgresMigrator(pool).state()
                }
            } catch {
                throw CommandFailure(error)
            }
            switch state {
            case .ahead(let number):
                throw CommandFailure(.failed, PostgresError.newer(number).message)
            case .current:
                StandardOutput.writeNow("\(schema): nothing to do, all migrations are applied")
                try await restore(configuration, arguments)
                return
            case .behind(let missing):
                StandardOutput.writeNow(
                    "\(schema): " + Measures.count(missing.count, "migration") + " to apply")
                for name in missing { StandardOutput.writeNow("  \(name)") }
            }
            guard !arguments.has(.dryRun) else {
                StandardOutput.writeNow("nothing was changed")
                return
            }
            do throws(PostgresError) {
                try await PostgresPool.lend(configuration.patient) {
                    pool throws(PostgresError) in
                    try await PostgresMigrator(pool).migrate { name in
                        StandardOutput.writeNow("applying \(name)")
                    }
                }
                StandardOutput.writeNow("done: \(schema) is ready for the servers of this version")
            } catch {
                throw CommandFailure(error)
            }
            try await restore(configuration, arguments)
        })

    /// Lets the numbers of a restored database begin anew, if that is asked for.
    private static func restore(
        _ configuration: PostgresConfiguration, _ arguments: Arguments
    ) async throws(CommandFailure) {
        guard arguments.has(.restored) else { return }
        do throws(PostgresError) {
            try await PostgresPool.lend(configuration.patient) {
                pool throws(PostgresError) in try await PostgresRestoration(pool).run()
            }
            StandardOutput.writeNow("done: the numbers of transactions begin anew")
        } catch {
            throw CommandFailure(error)
        }
    }
}

extension Option {
    fileprivate static let restored = Option(
        "restored",
        help:
            "let the numbers of transactions begin anew, after a restore; not with --dry-run")
}
