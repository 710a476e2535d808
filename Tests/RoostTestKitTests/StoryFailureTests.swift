// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostTestKit
import Testing

/// The failures of stories, and the traces that a failed story leaves.
@MainActor
struct StoryFailureTests {
    /// The failure of a story; lines inside of a macro are counted in another way.
    private static func failure(of story: () async throws -> Void) async -> TestFailure? {
        do {
            try await story()
            return nil
        } catch {
            return error as? TestFailure
        }
    }

    @Test func `a failed wait names its file and its line`() async throws {
        let line = #line + 3
        let failure = await Self.failure {
            try await TestWorld.run { world in
                try await world.wait(atMost: .seconds(1)) { false }
            }
        }
        let place = "RoostTestKitTests/StoryFailureTests.swift:\(line)"
        #expect(failure?.description.contains(place) == true)
    }

    @Test func `a failed wait for a health names its file and its line`() async throws {
        let line = #line + 4
        let failure = await Self.failure {
            try await TestWorld.run { world in
                let scene = try await Scene(world)
                try await world.wait(for: scene.client, atMost: .seconds(1)) { _ in false }
            }
        }
        let place = "RoostTestKitTests/StoryFailureTests.swift:\(line)"
        #expect(failure?.description.contains(place) == true)
    }

    /// The folder of a device.
    private final class Place: Sendable {
        @MainActor var path = ""
    }

    @Test func `a story that cannot end names its place, and its files are removed`() async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
        let place = Place()
        let line = #line + 2
        let failure = await Self.failure {
            try await TestWorld.run { world in
                var path = ""
                let client = try await world.device(of: "alice").launch { settings in
                    if case .folder(let folder) = settings.cache { path = folder }
                }
                await client.close()
                #expect(FileManager.default.fileExists(atPath: path))
                place.path = path
                for await _ in stream {}
            }
        }
        let description = failure?.description ?? ""
        #expect(description.contains("StoryFailureTests.swift:\(line) waits for an event"))
        #expect(!place.path.isEmpty)
        #expect(!FileManager.default.fileExists(atPath: place.path))
        continuation.finish()
    }
}
