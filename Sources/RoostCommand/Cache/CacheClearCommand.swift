// SPDX-License-Identifier: Apache-2.0

import RoostCommandLine
import RoostCore
import RoostModel
import RoostPages
import RoostStore

extension Option {
    static let channel = Option(
        "channel", .text(placeholder: "URL"), help: "remove the messages of this channel only")
    static let downTo = Option(
        "to", .number(placeholder: "MB", 0...1_000_000_000),
        help:
            "remove messages only until the cache has this size in megabytes; the channels that "
            + "were not opened for longest come first")
    static let everything = Option(
        "everything",
        help: "remove channels, users, cursors, the last login and downloaded files, too")
    static let includingUnsent = Option(
        "including-unsent",
        help: "with --everything: remove unsent messages, too; there is no other copy of them")
    static let dryRun = Option("dry-run", help: "report the effect without changing anything")
}

extension Command {
    static let cacheClear = Command(
        "cache clear", summary: "makes a cache smaller: by channels, to a size, or completely",
        explanation: """
            Removes the messages of all channels that are not pinned, or those that one of --channel,
            --to and --everything names. Channels stay in the list, and unsent messages stay unless an
            option names them. Removed messages can be fetched again. A client may have the cache open.
            """,
        operands: [.cacheFolder],
        options: [.channel, .downTo, .everything, .includingUnsent, .dryRun, .keyOfCache],
        example: "roost cache clear ./ada --to 64 --dry-run",
        exitCodes: [.done, .wrongArguments, .storage],
        run: { arguments throws(CommandFailure) in
            let wish = try CacheClearing(arguments)
            var isKnown = false
            try await CacheFolders.forEach(below: arguments.operands[0]) {
                folder throws(StoreError) in
                let outcome = try await wish.carryOut(in: folder)
                if case .channel = wish.extent, outcome.channels.isEmpty { return }
                isKnown = true
                StandardOutput.writeNow(
                    outcome.lines(style: .standardOutput).joined(separator: "\n"))
            }
            if case .channel(let url) = wish.extent, !isKnown {
                throw CommandFailure(noCacheBelow: arguments.operands[0], knows: url)
            }
        })
}

/// The options of `roost cache clear`.
struct CacheClearing {
    enum Extent: Equatable {
        case channel(ChannelURL)
        case down(to: Int64)
        case everything(includingUnsent: Bool)
    }

    let extent: Extent
    let isDryRun: Bool
    let protection: StoreProtection

    init(_ arguments: Arguments) throws(CommandFailure) {
        try arguments.refuseSeveral(of: [.channel, .downTo, .everything])
        try arguments.require(.everything, with: .includingUnsent)
        if let url = arguments.text(.channel) {
            extent = .channel(ChannelURL(url))
        } else if arguments.has(.everything) {
            extent = .everything(includingUnsent: arguments.has(.includingUnsent))
        } else {
            extent = .down(to: Int64(arguments.number(.downTo) ?? 0) * 1_000_000)
        }
        isDryRun = arguments.has(.dryRun)
        protection = arguments.protection
    }

    /// Clears one cache, or reports the effect without it.
    func carryOut(in folder: String) async throws(StoreError) -> CacheClearingOutcome {
        let folder = CacheFolders.named(folder)
        let found = try await FolderInspection.of(folder, protection)
        if isDryRun { return try await foretell(in: folder, found) }
        var options = Store.Options()
        // A key would encrypt a plaintext cache.
        options.protection = found.isSealed ? protection : .none
        options.reportMigration { done, total in StandardError.reportMigration(done, of: total) }
        let store = try await Store.open(.files(in: folder), owner: found.owner, options)
        StandardError.report(Repairs(cache: store.report, outbox: store.outboxReport))
        let outcome: Result<CacheClearingOutcome, StoreError>
        do throws(StoreError) {
            outcome = .success(try await carryOut(on: store, found))
        } catch {
            outcome = .failure(error)
        }
        await store.close()
        return try outcome.get()
    }

    /// Reports the effect on a cache without opening it for writing.
    private func foretell(
        in folder: String, _ found: FolderInspection
    ) async throws(StoreError) -> CacheClearingOutcome {
        let target = if case .down(let bytes) = extent { bytes } else { 0 as Int64 }
        let plan = try await FolderInspection.evictionPlan(of: folder, protection, downTo: target)
        // The plan counts used pages only, so both sizes are the plan's.
        let isForetold = if case .down = extent { true } else { false }
        return CacheClearingOutcome(
            of: found, isDryRun: true, gone: gone(plan.channels.map(\.url), found),
            files: removesFiles, unsent: removesUnsent ? found.removableItems : [],
            bytesBefore: isForetold ? plan.sizeBefore : found.cacheBytes,
            bytesAfter: isForetold && !plan.isEmpty ? plan.expectedSize : nil)
    }

    private func carryOut(
        on store: Store, _ found: FolderInspection
    ) async throws(StoreError) -> CacheClearingOutcome {
        let writer = store.writer
        let before = try await writer.cacheBytes()
        var evicted: [ChannelURL] = []
        let unsent = removesUnsent ? found.removableItems : []
        switch extent {
        case .down(let bytes): evicted = try await writer.trim(downTo: bytes).evicted.map(\.url)
        case .channel(let url):
            try await writer.commit([.clearMessages(url)])
            try await writer.trim(downTo: .max)
        case .everything:
            // First, because deleting files needs no room on the disk.
            try await store.downloads.clear()
            try await store.clearRemains(includingUnsent: removesUnsent)
            try await writer.trim(downTo: 0)
            try await writer.commit([.clearAll])
            try await writer.trim(downTo: .max)
            // Once more, because a repair during the clearing puts the damaged file aside.
            try await store.clearRemains(includingUnsent: removesUnsent)
            let notes = unsent.map { item -> OutboxNote in
                item.change == nil ? .removal(item.requestID) : .dropped(item.requestID)
            }
            let receipt = try await store.outbox.note(notes)
            if let error = receipt.refused.values.first { throw error }
            store.outbox.deleteFiles(unsent.flatMap(\.copies))
        }
        return CacheClearingOutcome(
            of: found, isDryRun: false, gone: gone(evicted, found), files: removesFiles,
            unsent: unsent, bytesBefore: before, bytesAfter: try await writer.cacheBytes())
    }

    private var removesFiles: Bool { if case .everything = extent { true } else { false } }
    private var removesUnsent: Bool { extent == .everything(includingUnsent: true) }

    /// Returns the channels that lose their messages, if an eviction takes some of them.
    private func gone(_ evicted: [ChannelURL], _ found: FolderInspection) -> [ChannelURL] {
        let known = found.cache.channels.map(\.url)
        return switch extent {
        case .down: evicted
        case .channel(let url): known.filter { $0 == url }
        case .everything: known
        }
    }
}

extension FolderInspection {
    /// The unsent items; the marks of inboxes are none.
    fileprivate var removableItems: [OutboxItem] {
        outbox.items.filter { $0.inboxMark == nil }
    }
}

/// The removed content of one cache, or the content that would be removed.
struct CacheClearingOutcome {
    let owner: StoreOwner
    let isDryRun: Bool
    let channels: [(title: String, messageCount: Int)]
    let unsentCount: Int
    /// The size of the downloaded files, and of the files of unsent messages.
    let fileBytes: Int64
    let bytesBefore: Int64
    /// Nil if it is unknown, or if nothing would change.
    let bytesAfter: Int64?

    init(
        of found: FolderInspection, isDryRun: Bool, gone: [ChannelURL], files: Bool,
        unsent: [OutboxItem], bytesBefore: Int64, bytesAfter: Int64?
    ) {
        owner = found.owner
        self.isDryRun = isDryRun
        let known = Dictionary(
            found.cache.channels.map { ($0.url, $0) }, uniquingKeysWith: { first, _ in first })
        channels = gone.map { url in
            (url.onOneLine(named: known[url]?.name), known[url]?.messageCount ?? 0)
        }
        unsentCount = unsent.count
        fileBytes = unsent.flatMap(\.copies).reduce(files ? found.downloadBytes : 0) {
            $0 + $1.size
        }
        self.bytesBefore = bytesBefore
        self.bytesAfter = bytesAfter
    }

    func lines(style: Style) -> [String] {
        let messages = channels.reduce(0) { $0 + $1.messageCount }
        var parts = [
            Measures.count(messages, "message") + " of "
                + Measures.count(channels.count, "channel")
        ]
        if unsentCount > 0 { parts.append(Measures.count(unsentCount, "unsent message")) }
        let sizes =
            Measures.size(bytesBefore)
            + (bytesAfter.map { " → \(isDryRun ? "about " : "")\(Measures.size($0))" } ?? "")
        let most = max(channels.map(\.messageCount).max() ?? 0, 1)
        return [
            style(.strong, "\(owner.user) in \(owner.application)") + "  "
                + style(.quiet, isDryRun ? "nothing was changed" : "cleared"),
            "  \(isDryRun ? "would go" : "gone")  \(parts.joined(separator: ", "))",
            "  cache     \(sizes)",
        ]
            + (fileBytes > 0 ? ["  files     \(Measures.size(fileBytes))"] : [])
            + channels.map { channel in
                let cells = (channel.messageCount * 20 + most - 1) / most
                let bar = String(repeating: "█", count: cells)
                let rest = String(repeating: "░", count: 20 - cells)
                return "  \(bar)\(style(.quiet, rest)) \(channel.title)  "
                    + style(.quiet, Measures.count(channel.messageCount, "message"))
            }
    }
}
