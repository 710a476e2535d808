// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCommand
import RoostCommandLine
import RoostStore
import RoostTestSupport
import Testing

@Suite(.timeLimit(.minutes(Patience.minutes)))
struct SealedCommandTests {
    @Test func `a sealed cache is inspected with its key only (R136, scar 43)`()
        async throws
    {
        let program = try Program()
        let client = try await program.run(
            [
                "client", "--server", "http://127.0.0.1:1", "--app-id", "demo", "--user", "Ada",
                "--cache", "cache", "--key-folder", "keys",
            ],
            input: [
                #"{"id":1,"request":"send","channel":"c","text":"Unsent-Words-Curlew"}"#,
                #"{"id":2,"request":"quit"}"#,
            ])
        #expect(client.status == 0, "\(client.errors)")
        let keyless = try await program.run([
            "client", "--server", "http://127.0.0.1:1", "--app-id", "demo", "--user", "Ada",
            "--cache", "cache",
        ])
        #expect(keyless.status == ExitCode.storage.rawValue)
        #expect(keyless.errors.first?.contains("--key-folder") == true, "\(keyless.errors)")
        #expect(keyless.errors.first?.contains("The cache is encrypted") == true)
        func run(_ words: String...) async throws -> Program.Outcome {
            try await program.run(["cache"] + words + ["--key-folder", "keys"])
        }
        let inspected = try await run("inspect", "cache", "--text")
        #expect(inspected.status == 0, "\(inspected.errors)")
        #expect(inspected.output.contains { $0.contains("Ada") && $0.contains("demo") })
        #expect(inspected.output.contains { $0.contains("Unsent-Words-Curlew") })
        // The path may also name the folder of one user.
        #expect(try await run("inspect", "cache/demo/%41da").status == 0)
        #expect(try await run("search", "cache", "words").status == 0)
        #expect(try await run("verify", "cache").status == 0)
        #expect(try await run("verify", "cache", "--repair").status == 0)
        #expect(try await run("clear", "cache").status == 0)
        for words in [
            ["inspect", "cache"], ["search", "cache", "words"], ["clear", "cache"],
            ["verify", "cache"], ["verify", "cache", "--repair"],
            ["verify", "cache", "--key-folder", "other-keys"],
        ] {
            let outcome = try await program.run(["cache"] + words)
            #expect(outcome.status == ExitCode.storage.rawValue)
            #expect(outcome.errors.count == 1)
            #expect(outcome.errors.first?.contains("--key-folder") == true)
            #expect(outcome.errors.first?.contains("cache/demo/%41da is encrypted") == true)
            #expect(!outcome.errors.contains { $0.contains("--repair") }, "no repair brings a key")
        }
        try program.remove()
    }

    /// The content of each file in a folder.
    private static func files(below folder: URL) throws -> [String: Data] {
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        return Dictionary(
            uniqueKeysWithValues: names.compactMap { name in
                (try? Data(contentsOf: folder.appending(path: name))).map { (name, $0) }
            })
    }

    @Test func `a clearing with a key does not encrypt a plaintext cache (R136, scar 43)`()
        async throws
    {
        let program = try Program()
        let client = [
            "client", "--server", "http://127.0.0.1:1", "--app-id", "demo", "--user", "ada",
            "--cache", "cache",
        ]
        let line = #"{"id":1,"request":"send","channel":"c","text":"waits"}"#
        #expect(
            try await program.run(client, input: [line, #"{"id":2,"request":"quit"}"#]).status == 0)
        let cache = program.folder.appending(path: "cache")
        let before = try Self.files(below: cache)
        let clear = ["cache", "clear", "cache", "--to", "64", "--key-folder", "keys"]
        let trial = try await program.run(clear + ["--dry-run"])
        #expect(trial.status == 0 && trial.errors == [], "\(trial.errors)")
        #expect(trial.output.contains { $0.contains("nothing was changed") })
        #expect(try Self.files(below: cache) == before)
        #expect(try await program.run(clear).status == 0)
        #expect(!FileManager.default.fileExists(atPath: program.path("keys")))
        let again = try await program.run(
            client, input: [#"{"id":1,"request":"cache"}"#, #"{"id":2,"request":"quit"}"#])
        #expect(again.status == 0, "\(again.errors)")
        #expect(again.output.contains { $0.contains(#""status":"pending""#) }, "\(again.output)")
        try program.remove()
    }

    @Test(arguments: ["cache", "cache/keys", "./cache/../cache/demo/keys", "link/keys"])
    func `a key cannot be kept in the folder that it seals`(keys: String) async throws {
        let program = try Program()
        try FileManager.default.createDirectory(
            atPath: program.path("cache"), withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: program.path("link"), withDestinationPath: "cache")
        func client(_ keys: String) async throws -> Program.Outcome {
            try await program.run([
                "client", "--server", "http://127.0.0.1:1", "--app-id", "demo", "--user", "ada",
                "--cache", "cache", "--key-folder", keys,
            ])
        }
        let refused = try await client(keys)
        #expect(refused.status == ExitCode.wrongArguments.rawValue)
        #expect(refused.errors.first?.contains("--key-folder must not be in --cache") == true)
        #expect(try FileManager.default.contentsOfDirectory(atPath: program.path("cache")) == [])
        #expect(try await client("cache-keys").status == 0)
        try program.remove()
    }
}
