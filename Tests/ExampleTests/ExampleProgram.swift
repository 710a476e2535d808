// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostTestSupport
import Testing

/// A built example whose source names the server `http://127.0.0.1:8080`, as a copy for another
/// port.
///
/// A reader types the example as it is, so it takes no argument, and a test cannot have that port
/// for itself.
struct ExampleProgram {
    private let path: String

    init(_ name: String, port: Int, in folder: TemporaryFolder) async throws {
        let (written, wanted) = (Data("127.0.0.1:8080".utf8), Data("127.0.0.1:\(port)".utf8))
        try #require(written.count == wanted.count)
        var program = try Data(contentsOf: URL(filePath: try ChildProcess.built(name)))
        try #require(program.range(of: written) != nil, "\(name) names another server")
        while let place = program.range(of: written) {
            program.replaceSubrange(place, with: wanted)
        }
        // A file that any process has open for writing cannot be run, and the children of other
        // tests inherit what this process has open.
        let draft = folder.file("\(name).draft")
        try program.write(to: URL(filePath: draft))
        path = folder.file(name)
        let copying = try ChildProcess("/usr/bin/install", ["-m", "700", draft, path])
        try #require(await copying.end() == .exited(0))
    }

    /// Starts the program in a folder; a pipe for its input is not waited for.
    func start(in folder: String, reading pipe: String = "/dev/null") throws -> ChildProcess {
        // The tracer of crashes needs seconds for each.
        try ChildProcess(
            "/bin/sh", ["-c", #"cd "$0" && exec "$1" <>"$2""#, folder, path, pipe],
            errors: "/dev/null",
            environment: ["SWIFT_BACKTRACE": "enable=no"])
    }
}
