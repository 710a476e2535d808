// SPDX-License-Identifier: Apache-2.0

// A process of its own for tests that need one: `StoreActor ROLE PATH SEED COUNT`.

import Glibc
import RoostCore
import RoostModel
import RoostSQLite
import RoostStore
import RoostTestSupport
import StoreTestSupport

@main
enum StoreActor {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 5, let seed = UInt64(arguments[3]), let count = Int(arguments[4])
        else {
            print("usage: StoreActor write|evict|hold|visit PATH SEED COUNT")
            exit(2)
        }
        var random = SplitMix64(seed: seed)
        switch arguments[1] {
        case "write": try await write(arguments[2], seed, count, &random)
        case "evict": try await evict(arguments[2], count)
        case "visit": try await visit(arguments[2])
        case "hold": try hold(arguments[2], count, &random)
        default: exit(2)
        }
    }

    /// Writes messages of its own, edits one that everybody edits, and leaves unsent words.
    ///
    /// Says "began" when the store is open, so that a test knows when to interfere.
    private static func write(
        _ folder: String, _ seed: UInt64, _ count: Int, _ random: inout SplitMix64
    ) async throws {
        let store = try await openStore(folder)
        print("began")
        fflush(nil)
        for index in 0..<count {
            let id = Int64(index) * 10 + Int64(seed)
            let place = Position(
                createdAt: Timestamp(milliseconds: id), messageID: MessageID(id))
            let text = "\(seed) " + String(repeating: "x", count: Int(random.next() % 2_000))
            try await store.writer.commit([
                .messages(
                    "channel", [message(id, text)],
                    covering: CoveredRange(lower: place, upper: place)),
                .cursor(.messageChanges("channel"), .token("\(seed) \(index)")),
            ])
            if random.next() % 4 == 0 {
                _ = try await store.outbox.append(
                    RequestID("\(seed) \(index)"), to: "channel", createdAt: place.createdAt,
                    content: .userMessage(UserMessageParams(text: text)))
                print("unsent \(seed) \(index)")
                fflush(nil)
            }
        }
        await store.close()
        print("done")
    }

    /// Trims a cache to so many bytes.
    private static func evict(_ folder: String, _ bytes: Int) async throws {
        let store = try await openStore(folder)
        print("began")
        fflush(nil)
        var trim = try await store.writer.beginTrim(downTo: Int64(bytes))
        while !trim.isDone {
            trim = try await store.writer.advance(trim).trim
            print("step")
            fflush(nil)
        }
        await store.close()
        print("done")
    }

    /// Opens a store as somebody who may only read its files, and says what came of it.
    private static func visit(_ folder: String) async throws {
        // Root may write everywhere: nobody may not.
        if geteuid() == 0 { guard setgid(65_534) == 0, setuid(65_534) == 0 else { exit(3) } }
        do {
            let store = try await openStore(folder)
            await store.close()
            print("opened")
        } catch let error as StoreError {
            print("\(error.kind)")
            print(error.message)
        }
    }

    /// Opens the store as the tests do: sealed when they are told to.
    private static func openStore(_ folder: String) async throws -> Store {
        var options = Store.Options()
        // SAFETY: nobody changes the environment.
        if unsafe getenv("ROOST_SEALED") != nil {
            options.protection = try .key([UInt8](repeating: 7, count: 32))
        }
        return try await Store.open(
            .folder(folder), owner: StoreOwner(application: "app", user: "anna"), options)
    }

    private static func message(_ id: Int64, _ text: String) -> Message {
        Message(
            delivery: .delivered(MessageID(id), nil), channelURL: "channel",
            createdAt: Timestamp(milliseconds: id), updatedAt: nil,
            sender: Sender(user: User(id: "anna")), content: .user(text: text))
    }

    /// Takes and drops a lock at random; a file beside it tells of two owners.
    private static func hold(_ path: String, _ count: Int, _ random: inout SplitMix64) throws {
        let sign = path + ".owner"
        for _ in 0..<count {
            if random.next() % 2 == 0 {
                let lock = try FolderLock(file: path, .exclusive, patience: .seconds(60))
                try alone(sign)
                if random.next() % 2 == 0 {
                    let shared = try lock.changed(to: .shared, patience: .seconds(60))
                    try together(sign)
                    _ = consume shared
                }
            } else {
                let lock = try FolderLock(file: path, .shared, patience: .seconds(60))
                try together(sign)
                if random.next() % 2 == 0 {
                    let whole = try lock.changed(to: .exclusive, patience: .seconds(60))
                    try alone(sign)
                    _ = consume whole
                }
            }
        }
        print("done")
    }

    private struct TwoOwners: Error {}

    private static func alone(_ sign: String) throws {
        let file = unsafe open(sign, O_CREAT | O_EXCL | O_WRONLY, 0o600)
        guard file >= 0 else { throw TwoOwners() }
        close(file)
        sched_yield()
        guard unsafe unlink(sign) == 0 else { throw TwoOwners() }
    }

    private static func together(_ sign: String) throws {
        for _ in 0..<3 {
            guard unsafe access(sign, F_OK) != 0 else { throw TwoOwners() }
            sched_yield()
        }
    }
}
