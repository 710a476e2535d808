// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostCommandLine
import RoostHost
import RoostTestSupport
import Testing

@testable import RoostCommand

/// The world of `roost chat --demo`, without its screen.
@Suite(.timeLimit(.minutes(Patience.minutes)))
struct ChatDemoTests {
    /// Whether the folder of a demo is on disk; its server has a folder in it.
    private static func isOnDisk(_ serverFolder: String) -> Bool {
        let folder = URL(fileURLWithPath: serverFolder).deletingLastPathComponent()
        #expect(folder.lastPathComponent.hasPrefix("roost-chat-"))
        return FileManager.default.fileExists(atPath: folder.path)
    }

    /// Whether no server listens on a port any more: another one can start there.
    private static func isFree(_ port: UInt16) async throws -> Bool {
        let folder = try RoostTestSupport.TemporaryFolder()
        var configuration = ChatHost.Configuration(
            dataFolder: folder.file("server"), applicationID: "demo")
        configuration.port = port
        do {
            let host = try await ChatHost.start(configuration)
            await host.stop()
            return true
        } catch {
            return false
        }
    }

    @Test func `the end of the demo removes its files and its server`() async throws {
        var folder = ""
        let demo = try await ChatDemo.start { folder = $0.dataFolder }
        let port = try #require(URL(string: demo.settings.server)?.port.map { UInt16($0) })
        #expect(Self.isOnDisk(folder))
        #expect(try await !Self.isFree(port))
        await demo.end()
        #expect(!Self.isOnDisk(folder))
        #expect(try await Self.isFree(port))
    }

    @Test func `a demo without a port for its server leaves no files`() async throws {
        let listener = try SilentListener()
        var folder = ""
        do throws(CommandFailure) {
            let demo = try await ChatDemo.start { configuration in
                folder = configuration.dataFolder
                configuration.port = listener.port
            }
            Issue.record("The demo has started on a port that is taken.")
            await demo.end()
        } catch {
            #expect(error.code == .failed)
            #expect(error.message.hasPrefix("The demo cannot start: "))
        }
        #expect(!folder.isEmpty && !Self.isOnDisk(folder))
        withExtendedLifetime(listener) {}
    }

    @Test func `a demo whose people are refused leaves neither files nor a server`() async throws {
        let port = try FreePort.next()
        var folder = ""
        do throws(CommandFailure) {
            let demo = try await ChatDemo.start { configuration in
                folder = configuration.dataFolder
                configuration.port = port
                // The people of the demo have no tokens.
                configuration.requiresToken = true
            }
            Issue.record("The people of the demo have come in without tokens.")
            await demo.end()
        } catch {
            #expect(error.code == .failed)
            #expect(error.message.hasPrefix("The demo cannot start: "))
        }
        #expect(!folder.isEmpty && !Self.isOnDisk(folder))
        #expect(try await Self.isFree(port))
    }
}
