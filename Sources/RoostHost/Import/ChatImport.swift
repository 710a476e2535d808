// SPDX-License-Identifier: Apache-2.0

import Foundation
package import RoostCluster
import RoostExecutors
package import RoostPostgres
import RoostSQLite

/// The move of an embedded server's folder into a database that several servers share.
package enum ChatImport {
    /// The result of an import.
    package struct Outcome: Sendable {
        package let report: ImportReport
        /// The uploads; nil if they were left where they are.
        package let files: UploadCopy.Outcome?
        /// The number of uploads in the folder.
        package let uploads: Int
    }

    /// Moves a folder, or goes on with a move that was interrupted.
    ///
    /// The folder is only read, and locked until the return.
    ///
    /// - Parameters:
    ///   - folder: The folder of the embedded server, which must not run.
    ///   - configuration: The shared database, of the newest schema.
    ///   - files: The folder for the uploads; nil leaves them where they are.
    ///   - note: Takes the progress of the database.
    ///   - noteFiles: Takes the numbers of the uploads that are done, and of all.
    /// - Returns: The tables and the uploads.
    /// - Throws: A sentence with the remedy; a repeat goes on where the import was.
    package static func run(
        _ folder: String, into configuration: PostgresConfiguration, files: String?,
        note: @escaping @Sendable (ImportProgress) -> Void = { _ in },
        noteFiles: @escaping @Sendable (Int, Int) -> Void = { _, _ in }
    ) async throws(ImportFailure) -> Outcome {
        let path = folder + "/" + ChatHost.databaseName
        guard FileManager.default.fileExists(atPath: path) else {
            throw ImportFailure(
                .folder, "\(folder) holds no server: name the folder given to roost serve.")
        }
        let lock = try lock(folder)
        let thread = ThreadExecutor(name: "roost.import")
        let result: Result<Outcome, ImportFailure>
        do throws(ImportFailure) {
            let source = try await EmbeddedSource(path, on: thread)
            result = .success(
                try await move(source, folder, configuration, files, note, noteFiles, thread))
        } catch {
            result = .failure(error)
        }
        await thread.shutDown()
        // The lock is held up to here.
        _ = consume lock
        return try result.get()
    }

    private static func lock(_ folder: String) throws(ImportFailure) -> FolderLock {
        do throws(FileError) {
            // The server of the folder must be able to open the lock later.
            let owner = FileOwner.canGive ? try FileOwner(of: folder) : nil
            return try FolderLock(file: folder + "/lock", owner: owner)
        } catch {
            throw ImportFailure(
                .folder,
                error.isTaken
                    ? "A server or another import uses \(folder): stop it, and import again."
                    : "The folder \(folder) cannot be locked; check its rights. \(error)")
        }
    }

    private static func move(
        _ source: EmbeddedSource, _ folder: String, _ configuration: PostgresConfiguration,
        _ files: String?, _ note: @escaping @Sendable (ImportProgress) -> Void,
        _ noteFiles: @escaping @Sendable (Int, Int) -> Void, _ thread: ThreadExecutor
    ) async throws(ImportFailure) -> Outcome {
        let names = try UploadCopy.names(in: folder + "/files")
        let copy = files.map { UploadCopy(names, from: folder + "/files", to: $0) }
        var configuration = configuration
        configuration.answerPatience = EmbeddedImport.answerPatience
        let outcome: Result<Outcome, ImportFailure>
        do throws(PostgresError) {
            outcome = try await PostgresPool.lend(configuration) {
                pool async throws(PostgresError) in
                do throws(ImportFailure) {
                    let uploads = UploadCopy.Progress()
                    let report = try await EmbeddedImport(source, into: pool, note: note).run {
                        () async throws(ImportFailure) in
                        guard let copy else { return }
                        uploads.set(try await copy.run(on: thread, noteFiles))
                    }
                    return .success(
                        Outcome(
                            report: report, files: uploads.outcome,
                            uploads: names.count))
                } catch {
                    return .failure(error)
                }
            }
        } catch {
            throw ImportFailure(.database(error.kind), error.message)
        }
        return try outcome.get()
    }
}
