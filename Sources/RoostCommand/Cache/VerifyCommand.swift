// SPDX-License-Identifier: Apache-2.0

import RoostCommandLine
import RoostPages
import RoostStore

extension Option {
    static let repair = Option(
        "repair", help: "rebuild a cache with findings from its certain data")
}

extension Command {
    static let cacheVerify = Command(
        "cache verify",
        summary: "checks the invariants of a cache, and repairs it on request",
        explanation: """
            Checks every cache below a folder: the file, that every message is covered and can be
            read, the sums, the cursors, the index of words, the outbox. Without --repair nothing is
            changed, and a client may have it open. A repair quarantines the old file beside the new
            one; the client fetches uncertain data again. Unsent messages are not touched.
            """,
        operands: [.cacheFolder],
        options: [.repair, .keyOfCache], example: "roost cache verify ./ada",
        exitCodes: [.done, .failed, .wrongArguments, .storage],
        run: { arguments throws(CommandFailure) in
            var left: Set<Verdict> = []
            var unread: CommandFailure?
            do throws(CommandFailure) {
                try await CacheFolders.forEach(below: arguments.operands[0]) {
                    folder throws(StoreError) in
                    var verdict = try await verify(folder, arguments.protection)
                    if verdict == .repairable, arguments.has(.repair) {
                        try await repair(folder, arguments.protection)
                        // The first check stops at a damaged cache file and does not reach the
                        // outbox, which a repair leaves as it is.
                        verdict = try await verify(folder, arguments.protection)
                    }
                    left.insert(verdict)
                }
            } catch {
                unread = error
            }
            let failures = [unread] + left.sorted().map(\.failure)
            if let failure = CommandFailure(failures.compactMap { $0 }) { throw failure }
        })

    private enum Verdict: Int, Comparable {
        case sound
        case repairable
        case notRepairable

        static func < (one: Verdict, other: Verdict) -> Bool { one.rawValue < other.rawValue }

        /// The failure with its remedy; nil if the cache is intact.
        var failure: CommandFailure? {
            switch self {
            case .sound: nil
            case .repairable:
                CommandFailure(
                    .failed, "A cache has findings: run the command again with --repair.")
            case .notRepairable:
                CommandFailure(
                    .failed,
                    "Unsent messages are damaged, and no repair can fetch them again: open the cache "
                        + "with a client, which saves the readable ones.")
            }
        }
    }

    /// Prints the findings.
    ///
    /// - Throws: An error for files that cannot be read for a reason other than damage, so that no
    ///   repair helps.
    private static func verify(
        _ folder: String, _ protection: StoreProtection
    ) async throws(StoreError) -> Verdict {
        let style = Style.standardOutput
        do throws(StoreError) {
            let found = try await FolderInspection.verify(
                CacheFolders.named(folder), protection)
            let messages = Measures.count(found.checkedMessages, "message")
            guard !found.isSound else {
                StandardOutput.writeNow(
                    style(.strong, folder) + ": \(messages), no findings")
                return .sound
            }
            var lines = [style(.strong, folder) + ": \(messages)"]
            for finding in found.findings {
                let place = finding.channel.map { "\($0): " } ?? ""
                lines.append(
                    "  " + style(.waiting, finding.kind.rawValue) + "  "
                        + "\(place)\(finding.sentence)".onOneLine)
            }
            StandardOutput.writeNow(lines.joined(separator: "\n"))
            return found.isCacheSound ? .notRepairable : .repairable
        } catch  where error.kind == .damaged || error.kind == .notADatabase {
            StandardOutput.writeNow(
                style(.strong, folder) + ": \(FolderInspection.cacheName) is damaged")
            return .repairable
        }
    }

    private static func repair(
        _ folder: String, _ protection: StoreProtection
    ) async throws(StoreError) {
        let named = CacheFolders.named(folder)
        guard let owner = await FolderInspection.owner(of: named) else {
            throw StoreError(
                .unexpected,
                "The owner of the cache \(folder) is unknown: move the files "
                    + "\(folder)/\(FolderInspection.cacheName)* away. The next client makes new "
                    + "ones, and keeps \(FolderInspection.outboxName) with the unsent messages.")
        }
        let report = try await FolderInspection.repair(named, owner: owner, protection)
        guard case .repaired(let quarantine, _, let salvaged) = report else { return }
        StandardOutput.writeNow(
            "  rebuilt with \(Measures.count(salvaged.channels, "channel")) and "
                + "\(Measures.count(salvaged.messages, "message")); the old file "
                + (quarantine.map { "is at \($0)" } ?? "is gone")
        )
    }
}
