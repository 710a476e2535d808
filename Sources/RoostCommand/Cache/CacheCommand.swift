// SPDX-License-Identifier: Apache-2.0

import RoostCommandLine
import RoostModel
import RoostStore

extension Option {
    static let text = Option("text", help: "show the text of unsent messages")
}

extension Command {
    static let cacheInspect = Command(
        "cache inspect",
        summary: "shows the contents of a cache: sizes, ranges, holes, unsent messages",
        explanation: """
            Reads every cache below a folder, without a server and without changing anything; a client
            may have it open. Each channel's history is drawn as a bar: █ is complete, ░ is a hole, ├ is the
            beginning of the channel, ┄ is an unknown beginning.
            """,
        operands: [Operand("DIR", help: "the folder given to roost client as --cache")],
        options: [.text, .keyOfCache], example: "roost cache inspect ./ada",
        exitCodes: [.done, .wrongArguments, .storage],
        run: { arguments throws(CommandFailure) in
            let root = arguments.operands[0]
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
            default: error.commandSentence
            }
        self.init(.storage, message)
    }

    /// The failure for the name of an unknown channel.
    init(noCacheKnows channel: ChannelURL) {
        self.init(.storage, "No cache in this folder has a channel \(channel).")
    }
}

extension StoreError {
    /// The message, with the option that remedies it if there is one.
    var commandSentence: String {
        switch kind {
        case .keyMissing, .wrongKey: "\(message) Name the folder of the key with --key-folder."
        default: message
        }
    }
}
