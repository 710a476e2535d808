// SPDX-License-Identifier: Apache-2.0

import RoostCommandLine
import RoostModel
import RoostStore

extension Option {
    static let searchedChannel = Option(
        "channel", .text(placeholder: "URL"), help: "search this channel only")
    static let hitLimit = Option(
        "limit", .number(placeholder: "N", 1...10_000), standard: "20",
        help: "the most messages to show")
}

extension Command {
    static let cacheSearch = Command(
        "cache search",
        summary: "finds cached messages by their words, and lists the periods that are not cached",
        explanation: """
            Searches every cache below a folder, without a server and without changing anything, newest
            first. All words must occur; those in one pair of quotation marks belong together, -word must not
            occur (put -- before it), and the last word may be the beginning of one. The output ends with the
            periods that are not in the cache and may have more messages.
            """,
        operands: [
            .cacheFolder,
            Operand("WORD", mayRepeat: true, help: "the words to find"),
        ],
        options: [.searchedChannel, .hitLimit, .keyOfCache],
        example: "roost cache search ./ada lunch tomorrow",
        exitCodes: [.done, .wrongArguments, .storage],
        run: { arguments throws(CommandFailure) in
            // The shell has removed the quotation marks.
            let words = arguments.operands.dropFirst().map { $0.contains(" ") ? "\"\($0)\"" : $0 }
            let channel = arguments.text(.searchedChannel).map { ChannelURL($0) }
            let question = SearchQuestion(
                words.joined(separator: " "), in: channel.map { [$0] },
                limit: arguments.number(.hitLimit) ?? 20)
            var isKnown = false
            try await CacheFolders.forEach(below: arguments.operands[0]) {
                folder throws(StoreError) in
                let named = CacheFolders.named(folder)
                let answer = try await FolderInspection.search(
                    named, for: question, arguments.protection)
                if let channel, !answer.hasHistory {
                    let cache = try await FolderInspection.of(named, arguments.protection).cache
                    guard cache.channels.contains(where: { $0.url == channel }) else { return }
                }
                isKnown = true
                let names = try await FolderInspection.channelNames(of: named, arguments.protection)
                let drawing = SearchDrawing(
                    folder: folder, answer: answer, names: names, style: .standardOutput)
                StandardOutput.writeNow(drawing.lines.joined(separator: "\n"))
            }
            if let channel, !isKnown {
                throw CommandFailure(noCacheBelow: arguments.operands[0], knows: channel)
            }
        })
}
