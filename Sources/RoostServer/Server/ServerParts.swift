// SPDX-License-Identifier: Apache-2.0

/// All parts of a server, created bottom-up: each part gets the parts that it uses.
final class ServerParts {
    // The sockets and their users.
    let telemetry: Telemetry
    let rates: RequestRates
    let activity: Activity
    let publisher: EventPublisher
    let rooms: Rooms
    let sessions: Sessions
    let logins: Logins
    let uploads: Uploads

    // The order and the admission of calls.
    let lanes: ChannelLanes
    let admission: Admission

    // Messages.
    let history: History
    let search: Search
    let deliveries: DeliveryMarks
    let receipts: Receipts
    let messages: Messages
    let logs: ChannelLogs
    let migrations: Migrations

    // Channels.
    let memberships: Memberships
    let channels: Channels
    let lists: ChannelLists
    let channelData: ChannelData
    let openChannels: OpenChannels
    let moderation: Moderation

    // Documents.
    let polls: Polls
    let scheduled: ScheduledMessages
    let reports: Reports

    // Users.
    let users: Users
    let settings: UserSettings

    init(_ context: ServerContext, fanOut: any FanOut, _ background: Background) {
        telemetry = Telemetry()
        rates = RequestRates(context, telemetry)
        activity = Activity(context)
        publisher = EventPublisher(context: context, fanOut: fanOut, telemetry: telemetry)
        rooms = Rooms(context, publisher)
        sessions = Sessions(context, rooms, telemetry, fanOut: fanOut, background)
        logins = Logins(
            context: context, sessions: sessions, rates: rates, activity: activity,
            telemetry: telemetry)
        uploads = Uploads(context: context, logins: logins, rates: rates)

        lanes = ChannelLanes()
        admission = Admission(context: context, sessions: sessions, rooms: rooms, lanes: lanes)

        let views = ChannelViews(context: context)
        polls = Polls(
            context: context, publisher: publisher, sessions: sessions, views: views,
            admission: admission)
        history = History(context: context, views: views, polls: polls, rates: rates)
        search = Search(context: context, admission: admission, rates: rates)
        deliveries = DeliveryMarks(context, publisher)
        receipts = Receipts(
            context: context, publisher: publisher, sessions: sessions, lanes: lanes,
            history: history, deliveries: deliveries)
        messages = Messages(
            context: context, publisher: publisher, sessions: sessions, views: views)
        logs = ChannelLogs(
            context, publisher, sessions, lanes, admission, messages, polls, telemetry, background)
        migrations = Migrations(
            context: context, publisher: publisher, messages: messages, telemetry: telemetry)

        memberships = Memberships(
            context: context, publisher: publisher, views: views, history: history, lanes: lanes,
            rates: rates)
        channels = Channels(
            context: context, publisher: publisher, views: views, memberships: memberships,
            lanes: lanes, admission: admission)
        lists = ChannelLists(context: context, views: views, rates: rates)
        channelData = ChannelData(context: context, publisher: publisher)
        openChannels = OpenChannels(
            context: context, publisher: publisher, rooms: rooms, sessions: sessions,
            lists: lists, admission: admission)
        moderation = Moderation(
            context: context, publisher: publisher, rooms: rooms, rates: rates)

        scheduled = ScheduledMessages(context, logs, telemetry, background)
        reports = Reports(context: context)

        users = Users(
            context: context, publisher: publisher, sessions: sessions, logins: logins,
            memberships: memberships, lanes: lanes)
        settings = UserSettings(
            context: context, publisher: publisher, memberships: memberships, receipts: receipts)
    }
}

/// The start of work that no caller waits for.
final class Background {
    /// The server whose parts do the work; set once, when the server is complete.
    weak var server: ChatServer?

    /// Starts work on the server.
    func start(_ work: @escaping @Sendable (isolated ChatServer) async -> Void) {
        server?.start(work)
    }
}
