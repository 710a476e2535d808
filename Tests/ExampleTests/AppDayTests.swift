// SPDX-License-Identifier: Apache-2.0

import RoostExecutors
import RoostTestSupport
import Testing

/// The sample apps of the doors in the areas of a real app, against a server over real sockets.
///
/// A day has about 150 steps. Each one would wait for the worlds of other tests on the shared threads,
/// so the tests have a thread of their own.
struct AppDayTests {
    private let thread = ThreadExecutor(name: "app day")

    @Test(.timeLimit(.minutes(Patience.minutes)))
    func `an app of the v4 door does its day: fifteen areas, two users and the server agree`()
        async throws
    {
        try await withTaskExecutorPreference(thread) {
            let day = try await AppDay("ChatV4")
            try await day.login()
            try await day.channelList()
            try await day.chat()
            try await day.thread()
            try await day.file()
            try await day.reaction()
            try await day.moderation()
            try await day.push()
            try await day.unreadCounts()
            try await day.profile()
            try await day.search()
            try await day.poll()
            try await day.scheduledMessages()
            try await day.openChannel()
            try await day.background()
            try await day.logout()
        }
    }

    @Test(.timeLimit(.minutes(Patience.minutes)))
    func `an app of the v3 door does its day: all areas that v3 has`() async throws {
        try await withTaskExecutorPreference(thread) {
            let day = try await AppDay("ChatV3")
            try await day.login()
            try await day.channelList()
            try await day.chat()
            try await day.thread()
            try await day.file()
            try await day.reaction()
            try await day.moderation()
            try await day.push()
            try await day.unreadCounts()
            try await day.profile()
            try await day.search()
            try await day.openChannel()
            try await day.background()
            try await day.logout()
        }
    }
}
