// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCore
import RoostModel
import RoostSQLite
import RoostStore
import RoostTestSupport
import StoreTestSupport

/// A cache of several channels, each with a word of its own in every message.
enum EvictionFixture {
    static let count: Int64 = 300
    static let channels: [ChannelURL] = (10..<26).map { ChannelURL("channel-\($0)") }
    static let filter: MessageFilter = {
        var filter = MessageFilter()
        filter.kind = .file
        return filter
    }()

    static func ids(of channel: ChannelURL) -> ClosedRange<Int64> {
        let number = Int64(channels.firstIndex(of: channel) ?? 0)
        return (number * 1_000 + 1)...(number * 1_000 + count)
    }

    static func word(of channel: ChannelURL) -> String { "SECRET\(channel.rawValue.suffix(2))" }

    static func page(_ channel: ChannelURL, bytes: Int = 300) -> Mutation {
        let (ids, word) = (ids(of: channel), word(of: channel))
        return .messages(
            channel,
            ids.map { id in
                let noise = (0..<Int64(bytes / 8)).map {
                    "\((id * 7_919 + $0 * 104_729) % 9_999_991)"
                }
                return Fixture.message(
                    id, in: channel, text: "\(word) \(noise.joined(separator: " "))")
            }, covering: Fixture.range(ids.lowerBound, ids.upperBound))
    }

    /// The files of a closed store that was filled once for all tests.
    private static let filled = Task {
        let folder = try TemporaryFolder(inMemory: true)
        let store = try await Store.test(.folder(folder.path))
        try await fill(store)
        await store.close()
        var files: [String: Data] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
            // Folders have no content.
            files[name] = try? Data(contentsOf: URL(filePath: folder.file(name)))
        }
        return files
    }

    /// Opens a filled store in an empty folder.
    static func store(
        in folder: TemporaryFolder, _ options: Store.Options = Fixture.options
    ) async throws -> Store {
        for (name, content) in try await filled.value {
            let file = URL(filePath: folder.file(name))
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try content.write(to: file)
        }
        return try await Store.open(.folder(folder.path), owner: Fixture.owner, options)
    }

    /// Fills the store; the channels are visited in their order.
    static func fill(_ store: Store, bytes: Int = 300) async throws {
        for (index, channel) in channels.enumerated() {
            try await store.writer.commit([
                .channels([Fixture.group(channel, name: "name of \(channel)")]),
                page(channel, bytes: bytes),
                .messages(channel, [], covering: Fixture.range(1, 9), under: filter),
                .cursor(.messageChanges(channel), .token("token \(channel)")),
                .accessed(channel, at: Timestamp(milliseconds: Int64(index + 1))),
            ])
        }
        _ = try await store.outbox.append(
            "unsent", to: channels[0], createdAt: Timestamp(milliseconds: 1),
            content: .userMessage(UserMessageParams(text: "not sent yet")))
    }

    /// Returns the faults of a filled store that has lost channels, some of them in part.
    static func faults(of store: Store) async throws -> [String] {
        var faults = try await store.reader.damage()
        for channel in channels {
            let ids = ids(of: channel)
            let coverage = try await store.reader.coverage(of: channel).value
            let held = try await store.reader.messageCount(
                in: channel, from: .distantPast, through: .distantFuture
            ).value
            let known = ids.filter { coverage.range(containing: Fixture.place($0)) != nil }
            if known.count != held { faults.append("\(channel): \(held) of \(known.count)") }
            let cursor = try await store.reader.cursor(.messageChanges(channel)).value
            if cursor != .token("token \(channel)") { faults.append("\(channel): no cursor") }
            if try await store.reader.channel(channel).value?.name != "name of \(channel)" {
                faults.append("\(channel): no row")
            }
        }
        let unsent = try await store.outbox.items().items.map(\.requestID)
        if unsent != ["unsent"] { faults.append("unsent: \(unsent)") }
        return faults
    }

    /// Returns the channels without cached messages.
    static func emptyChannels(of store: Store) async throws -> [ChannelURL] {
        var empty: [ChannelURL] = []
        for channel in channels {
            let count = try await store.reader.messageCount(
                in: channel, from: .distantPast, through: .distantFuture
            ).value
            if count == 0 { empty.append(channel) }
        }
        return empty
    }

    /// Returns the words that the files may show: none in a sealed folder.
    static func shown(_ words: some Sequence<ChannelURL>) -> Set<ChannelURL> {
        Fixture.isSealed ? [] : Set(words)
    }

    /// Returns the words that occur in the files of a folder.
    static func words(in folder: String) throws -> Set<ChannelURL> {
        var found: Set<ChannelURL> = []
        let files = FileManager.default.enumerator(atPath: folder)
        while let name = files?.nextObject() as? String {
            let bytes = (try? Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)"))) ?? Data()
            for channel in channels
            where bytes.range(of: Data(word(of: channel).utf8)) != nil {
                found.insert(channel)
            }
        }
        return found
    }

    /// Returns the size of the cache's files by the file system.
    static func fileBytes(in folder: String) throws -> Int64 {
        var sum: Int64 = 0
        let files = FileManager.default.enumerator(atPath: folder)
        while let name = files?.nextObject() as? String {
            guard name.contains("cache.sqlite"), !name.hasSuffix("-shm") else { continue }
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")
            sum += (attributes[.size] as? NSNumber)?.int64Value ?? 0
        }
        return sum
    }
}

extension Trim {
    /// The evicted channels, in order.
    var urls: [ChannelURL] { evicted.map(\.url) }
}
