// SPDX-License-Identifier: Apache-2.0

import RoostCommandLine
import RoostStore

extension Option {
    static let repair = Option(
        "repair", help: "make a cache with findings anew, with all of it that is certain")
}

extension Command {
    static let cacheVerify = Command(
        "cache verify",
        summary: "checks that a cache keeps its promises, and repairs one that does not",
        explanation: """
            Checks every cache below a folder: the file, that every message is covered and can be read, the
            sums, the cursors, the index of words, the outbox. Without --repair nothing is changed, and a client may have it open. A repair
            sets the old file aside beside the new one; what is not certain is fetched again by the client.
            Unsent messages are not touched.
            """,
        operands: [Operand("DIR", help: "the folder given to roost client as --cache")],
        options: [.repair, .keyOfCache], example: "roost cache verify ./ada",
        exitCodes: [.done, .failed, .wrongArguments, .storage],
        run: { arguments throws(CommandFailure) in
            var left: Set<Verdict> = []
            var unread: CommandFailure?
            do throws(CommandFailure) {
                try await CacheFolders.forEach(below: arguments.operands[0]) {
                    folder throws(StoreError) in
                    let verdict = try await verify(folder, arguments.protection)
                    if verdict == .repairable, arguments.has(.repair) {
                        try await repair(folder, arguments.protection)
                    } else {
                        left.insert(verdict)
                    }
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

        /// What to do about it; nil for nothing.
        var failure: CommandFailure? {
            switch self {
            case .sound: nil
            case .repairable:
                CommandFailure(.failed, "Not every cache is sound: run it again with --repair.")
            case .notRepairable:
                CommandFailure(
                    .failed,
                    "Unsent messages are concerned, which no repair can fetch again: open the cache "
                        + "with a client, which saves each of them that can be read.")
            }
        }
    }

    /// Prints what is found.
    ///
    /// - Throws: What keeps the files from being read and is no damage, so that no repair helps.
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
                    style(.strong, folder) + ": \(messages), nothing wrong")
                return .sound
            }
            var lines = [style(.strong, folder) + ": \(messages)"]
            for finding in found.findings {
                let place = finding.channel.map { "\($0): " } ?? ""
                lines.append(
                    "  " + style(.waiting, finding.kind.rawValue) + "  \(place)\(finding.sentence)")
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
                .unexpected, "Nobody can tell whose cache \(folder) is: move the file away by hand."
            )
        }
        let report = try await FolderInspection.repair(named, owner: owner, protection)
        guard case .repaired(let setAside, _, let salvaged) = report else { return }
        StandardOutput.writeNow(
            "  made anew with \(Measures.count(salvaged.channels, "channel")) and "
                + "\(Measures.count(salvaged.messages, "message")); the old file "
                + (setAside.map { "is at \($0)" } ?? "is gone")
        )
    }
}
