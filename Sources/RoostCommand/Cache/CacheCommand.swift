// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostCommandLine
import RoostModel
import RoostPages
import RoostStore

extension Option {
    static let text = Option(
        "text", help: "show the text of unsent messages and the names of channels")
    static let htmlPage = Option(
        "html", .text(placeholder: "FILE"),
        help:
            "write a page for a browser instead; an encrypted cache without its key has one, too")
    static let journalFile = Option(
        "journal", .text(placeholder: "FILE"),
        help: "with --html: put a sync journal on the page, as roost journal reads it")
}

extension Operand {
    static let cacheFolder = Operand(
        "DIR", help: "the folder given to roost chat or roost client as --cache")
}

extension Command {
    static let cacheInspect = Command(
        "cache inspect",
        summary: "shows the contents of a cache: sizes, ranges, holes, unsent messages",
        explanation: """
            Reads every cache below a folder, without a server and without changing anything; a client
            may have it open. Each channel's history is drawn as a bar: █ is complete, ░ is a hole, ├ is the
            beginning of the channel, ┄ is an unknown beginning.

            With --html the same and more becomes one page without outside resources: the reasons of holes, the
            order of eviction, the fate of unsent messages, and with --journal a sync journal to step through.
            """,
        operands: [.cacheFolder],
        options: [.text, .keyOfCache, .htmlPage, .journalFile],
        example: "roost cache inspect ./ada",
        exitCodes: [.done, .failed, .wrongArguments, .storage],
        run: { arguments throws(CommandFailure) in
            let root = arguments.operands[0]
            if let file = arguments.text(.htmlPage) {
                return try await writePage(to: file, root, arguments)
            }
            if arguments.has(.journalFile) {
                throw CommandFailure(
                    .wrongArguments, "--journal goes with --html FILE; roost journal prints one.")
            }
            var isFirst = true
            try await CacheFolders.forEach(below: root) { folder throws(StoreError) in
                let found = try await FolderInspection.of(
                    CacheFolders.named(folder), arguments.protection)
                let drawing = CacheDrawing(
                    folder: folder, found: found, showsText: arguments.has(.text),
                    now: WallClock.now, style: .standardOutput)
                if !isFirst { StandardOutput.writeNow("") }
                isFirst = false
                StandardOutput.writeNow(drawing.lines.joined(separator: "\n"))
            }
        })

    private static func writePage(
        to file: String, _ root: String, _ arguments: Arguments
    ) async throws(CommandFailure) {
        let journal = try arguments.text(.journalFile).map { path throws(CommandFailure) in
            JournalChart(try JournalFile.reading(path))
        }
        var pages: [CachePage] = []
        var failures: [CommandFailure] = []
        do throws(CommandFailure) {
            try await CacheFolders.forEach(below: root) { folder throws(StoreError) in
                let found = try await FolderStructure.of(
                    CacheFolders.named(folder), arguments.protection)
                pages.append(
                    CachePage(
                        found, folder: folder, showsText: arguments.has(.text),
                        journal: pages.isEmpty ? journal : nil, now: WallClock.now))
            }
        } catch {
            // A damaged cache does not keep back the others.
            guard !pages.isEmpty else { throw error }
            failures.append(error)
        }
        let document = PageDocument(
            title: "Cache in \(root)",
            body: .joined(pages.enumerated().map { $1.parts(prefix: "cache\($0)-") }))
        if TextFile.write(document.file, to: file) {
            StandardOutput.writeNow("wrote \(file)")
        } else {
            failures.append(
                CommandFailure(
                    .storage,
                    "\(file) cannot be written: make room, or name another file as --html."))
        }
        if let failure = CommandFailure(failures) { throw failure }
    }
}

extension ChannelURL {
    /// Returns the address and the channel's name beside it, on one line.
    func onOneLine(named name: String?) -> String {
        rawValue.onOneLine + (name.map { " “\($0.onOneLine)”" } ?? "")
    }
}

extension Arguments {
    /// The key that the files are opened with.
    var protection: StoreProtection { text(.keyOfCache).map { .keyFolder($0) } ?? .none }
}

extension CommandFailure {
    /// Translates an error of an inspection.
    init(inspecting folder: String, _ error: StoreError) {
        let message =
            switch error.kind {
            case .damaged, .notADatabase:
                if error.file?.hasSuffix("/" + FolderInspection.outboxName) == true {
                    "\(folder)/\(FolderInspection.outboxName) is damaged, or is no database of "
                        + "Roost: a client that opens it saves each unsent message that can be read, "
                        + "and quarantines the file."
                } else {
                    "\(folder)/\(FolderInspection.cacheName) is damaged, or is no database of "
                        + "Roost: a client that opens it quarantines it and begins a new one."
                }
            default: error.commandSentence(about: folder)
            }
        self.init(.storage, message)
    }

    /// The failure for the name of an unknown channel.
    init(noCacheBelow root: String, knows channel: ChannelURL) {
        self.init(
            .storage,
            "No cache in \(root) has a channel \(channel): roost cache inspect \(root) lists the "
                + "channels.")
    }
}

extension StoreError {
    /// Returns the message, with the option that remedies it if there is one, and the repairs
    /// before it; `place` names the cache.
    func commandSentence(about place: String) -> String {
        let sentence =
            switch kind {
            case .keyMissing:
                "\(place) is encrypted, and no key was given or found: name the folder of its key "
                    + "with --key-folder. Nothing was deleted."
            case .wrongKey:
                "\(place) is encrypted with another key: name the folder of that key with "
                    + "--key-folder. Nothing was deleted."
            default: message
            }
        return ([sentence] + repairs.sentences).joined(separator: " ")
    }
}
