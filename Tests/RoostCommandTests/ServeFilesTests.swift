// SPDX-License-Identifier: Apache-2.0

import RoostCommandLine
import RoostTestSupport
import Testing

/// The start of servers whose uploads are in a bucket.
@Suite(.timeLimit(.minutes(Patience.minutes)))
struct ServeFilesTests {
    private static func serve(_ files: String, database: String = "postgresql://127.0.0.1:1/x")
        -> [String]
    {
        [
            "serve", "--database", database, "--files", files, "--port", "0", "--app-id", "a",
            "--api-token", "t",
        ]
    }

    private static let keys = [
        "AWS_ACCESS_KEY_ID": "AKIDTEST", "AWS_SECRET_ACCESS_KEY": "hush-hush",
        "AWS_REGION": "eu-central-1", "AWS_ENDPOINT_URL": "", "AWS_ENDPOINT_URL_S3": "",
    ]

    @Test(arguments: [
        ("s3://UPPER", [:], "s3://BUCKET/PREFIX"),
        ("s3://files", ["AWS_SECRET_ACCESS_KEY": ""], "AWS_SECRET_ACCESS_KEY"),
        ("s3://files", ["AWS_REGION": "", "AWS_DEFAULT_REGION": ""], "AWS_REGION"),
        ("s3://files", ["AWS_ENDPOINT_URL": "store"], "AWS_ENDPOINT_URL wants"),
    ])
    func `a wrong place or environment is a wrong argument`(
        files: String, environment: [String: String], sentence: String
    ) async throws {
        let program = try Program()
        let outcome = try await program.run(
            Self.serve(files), environment: Self.keys.merging(environment) { $1 })
        #expect(outcome.status == ExitCode.wrongArguments.rawValue, "\(outcome.errors)")
        #expect(outcome.errors.count == 1)
        #expect(outcome.errors.first?.contains(sentence) == true, "\(outcome.errors)")
        #expect(!outcome.errors.joined().contains("hush-hush"))
        try program.remove()
    }

    @Test func `a server does not start without its bucket, and says what to do`() async throws {
        let program = try Program()
        let (database, objects) = (
            try await PostgresServer.shared(), try await ObjectServer.shared()
        )
        let schema = PostgresServer.schemaName()
        let place = ["--schema", schema]
        let migrated = try await program.run(["migrate", "--database", database.address] + place)
        #expect(migrated.status == 0, "\(migrated.errors)")
        for (files, change, sentence) in [
            ("s3://no-such-bucket/roost", [:], "create it, or correct --files"),
            (
                "s3://chat-files/roost", ["AWS_SECRET_ACCESS_KEY": "hush-hush"],
                "correct the variable AWS_SECRET_ACCESS_KEY"
            ),
            (
                "s3://chat-files/roost",
                ["AWS_ENDPOINT_URL": "http://127.0.0.1:\(try FreePort.next())"], "cannot be reached"
            ),
        ] as [(String, [String: String], String)] {
            let outcome = try await program.run(
                Self.serve(files, database: database.address) + place,
                environment: objects.environment.merging(change) { $1 })
            #expect(outcome.status == ExitCode.storage.rawValue, "\(outcome.errors)")
            #expect(outcome.errors.count == 1)
            #expect(outcome.errors.first?.contains(sentence) == true, "\(outcome.errors)")
            #expect(!outcome.errors.joined().contains("hush-hush"))
        }
        try program.remove()
    }
}
