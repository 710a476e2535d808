// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostWire

/// A message on its way into its channel's log.
struct Post {
    let command: MessageCommand
    let rule: AccessRule
    let caller: APICaller
    /// The sender; nil for a message of the platform.
    let sender: UserID?
    /// The socket of the message; nil for a REST call.
    var session: SessionID?
    /// The moment at which the message was queued.
    var begun: Timestamp?
    let finish: (Result<Message, ServerError>) -> Void
}

/// The way of messages into their channels' logs.
///
/// Messages that arrive during a commit form the next one. So one wait for the disk serves all
/// messages that arrived during the last. The frames of one socket are not awaited one by one,
/// because a wait for the disk each would bound a sender to the disk's pace.
final class ChannelLogs: ServerPart {
    let context: ServerContext
    private let publisher: EventPublisher
    private let sessions: Sessions
    private let lanes: ChannelLanes
    private let admission: Admission
    private let messages: Messages
    private let polls: Polls
    private let telemetry: Telemetry
    private let background: Background

    /// The messages by channel, in the order of arrival.
    ///
    /// A task empties each channel that has an entry, even an empty one.
    private var posts: [ChannelURL: [Post]] = [:]
    private var commits: [Commit] = []
    private var isCommitting = false
    /// The commits whose channels other servers hold.
    private var held: [Commit] = []
    /// The held commits under way.
    private var heldCount = 0

    /// Messages of one channel that wait for the storage, with those of others.
    private struct Commit {
        let messages: [Message]
        let finish: CheckedContinuation<Appendings, Never>
    }

    private typealias Appendings = Result<[Result<Appended?, StorageError>], StorageError>

    /// The most messages of one channel in one batch.
    private static let batchLimit = 256
    /// The most held commits at once; each of them keeps a session of the database.
    private static let heldLimit = 3

    init(
        _ context: ServerContext, _ publisher: EventPublisher, _ sessions: Sessions,
        _ lanes: ChannelLanes, _ admission: Admission, _ messages: Messages, _ polls: Polls,
        _ telemetry: Telemetry, _ background: Background
    ) {
        self.context = context
        self.publisher = publisher
        self.sessions = sessions
        self.lanes = lanes
        self.admission = admission
        self.messages = messages
        self.polls = polls
        self.telemetry = telemetry
        self.background = background
    }

    /// Appends a message to its channel's log and publishes it, once.
    @discardableResult
    func accept(
        _ command: MessageCommand, _ rule: AccessRule, of caller: APICaller, from sender: UserID?
    ) async throws(ServerError) -> Message {
        let result = await withCheckedContinuation { continuation in
            post(
                Post(command: command, rule: rule, caller: caller, sender: sender) {
                    continuation.resume(returning: $0)
                })
        }
        return try result.get()
    }

    /// Queues a message; its `finish` is called when it is durable or refused.
    ///
    /// The socket of the message gets only the answer. Every other socket of every member, the
    /// sender included, gets the event (`docs/protocol` 2.3).
    func post(_ post: Post) {
        let url = post.command.channelURL
        var post = post
        post.begun = world.now()
        guard posts[url] == nil else {
            posts[url]?.append(post)
            return
        }
        posts[url] = [post]
        // The task ends with the queue, whose length is bounded by the limits of sockets and calls.
        background.start { await $0.parts.logs.empty(url) }
    }

    /// Appends the queued messages of a channel, batch by batch, until none is left.
    func empty(_ url: ChannelURL) async {
        while posts[url]?.isEmpty == false {
            await lanes.inLane(of: url) {
                let batch = Array((posts[url] ?? []).prefix(Self.batchLimit))
                posts[url]?.removeFirst(batch.count)
                await append(batch, to: url)
            }
        }
        posts[url] = nil
    }

    private func append(_ batch: [Post], to url: ChannelURL) async {
        let audience: Audience
        do throws(ServerError) {
            audience = try await publisher.audience(of: url)
        } catch {
            for post in batch { post.finish(.failure(error)) }
            return
        }
        var standings: [Speaker: Result<Standing, ServerError>] = [:]
        var (posts, messages): ([(Post, PollClaim?, Sight?)], [Message]) = ([], [])
        for post in batch {
            do throws(ServerError) {
                try configuration.limits.check(post.command)
                let standing = try await admit(
                    post, among: audience.members, &standings)
                var message = try await self.messages.compose(
                    post.command, from: standing, to: audience)
                // The last check, so that a refused message claims no poll.
                let claim = try await polls.attach(to: &message, by: standing.actor)
                posts.append((post, claim, standing.sight))
                messages.append(message)
            } catch {
                // A message in the log is acknowledged even if it would be refused now. After a
                // refusal, its sender's client would show a message as failed that all members
                // read.
                guard let known = await repeated(post) else {
                    post.finish(.failure(error))
                    continue
                }
                posts.append((post, nil, await sight(of: post)))
                messages.append(known)
            }
        }
        guard !messages.isEmpty else { return }
        switch await commit(messages) {
        case .failure(let error):
            for (post, claim, _) in posts {
                await polls.release(claim)
                post.finish(.failure(refusal(error)))
            }
        case .success(let appendings):
            let audience = await present(audience, in: url)
            var portion = telemetry.work
            for ((post, claim, sight), appending) in zip(posts, appendings) {
                let appended = try? appending.get()
                let carried = appended?.isDeleted == false ? appended?.message.details.poll : nil
                if carried?.id.rawValue != claim?.poll { await polls.release(claim) }
                await report(post, appending, audience, sight)
                await telemetry.pause(since: &portion)
            }
        }
    }

    /// Returns the part of an audience that is still in the channel after a commit, as it is now.
    ///
    /// The lane orders the work of this server only: another server may have banned or removed a
    /// member since the audience was read.
    ///
    /// - Returns: The audience; nil if it cannot be read. Then no notice may leave, and each server
    ///   finds the change in the log.
    private func present(_ audience: Audience, in url: ChannelURL) async -> Audience? {
        guard context.peers != nil, audience.room == nil else { return audience }
        guard let later = try? await publisher.audience(of: url) else { return nil }
        let known = Set(audience.members)
        return Audience(audienceMembers: later.audienceMembers.filter { known.contains($0.id) })
    }

    /// Returns a repeated message for the storage, which answers with the stored one; nil if it is
    /// new.
    private func repeated(_ post: Post) async -> Message? {
        let command = post.command
        guard let id = post.sender, let request = command.requestID else { return nil }
        do throws(StorageError) {
            guard try await storage.isKnown(request, of: id, in: command.channelURL),
                let user = try await storage.user(id)
            else { return nil }
            return Message(
                delivery: .delivered(0, request), channelURL: command.channelURL,
                createdAt: world.now(), sender: Sender(user: user), content: command.content)
        } catch {
            _ = refusal(error)
            return nil
        }
    }

    /// Returns the part of the channel's history that the caller of a refused message sees; nil if
    /// the caller cannot read the channel.
    private func sight(of post: Post) async -> Sight? {
        var target = AccessTarget(channel: post.command.channelURL)
        target.session = post.session
        // A caller whose right cannot be looked up now gets the part that needs none.
        return try? await admission.admit(.reader, target, post.caller).sight
    }

    /// The sender of a message, as far as the decision depends on it.
    private struct Speaker: Hashable {
        let rule: AccessRule
        let caller: APICaller
        let sender: UserID?
        let session: SessionID?
    }

    /// Decides on a message, once for all messages of its sender in a batch.
    private func admit(
        _ post: Post, among members: [UserID],
        _ standings: inout [Speaker: Result<Standing, ServerError>]
    ) async throws(ServerError) -> Standing {
        let speaker = Speaker(
            rule: post.rule, caller: post.caller, sender: post.sender, session: post.session)
        if let known = standings[speaker] { return try known.get() }
        var target = AccessTarget(channel: post.command.channelURL)
        target.actor = post.sender
        target.session = post.session
        target.members = members
        do throws(ServerError) {
            let standing = try await admission.admit(post.rule, target, post.caller)
            standings[speaker] = .success(standing)
            return standing
        } catch {
            standings[speaker] = .failure(error)
            throw error
        }
    }

    /// Makes messages durable, together with all others that wait.
    private func commit(_ messages: [Message]) async -> Appendings {
        await withCheckedContinuation { continuation in
            commits.append(Commit(messages: messages, finish: continuation))
            guard !isCommitting else { return }
            isCommitting = true
            background.start { await $0.parts.logs.commitAll() }
        }
    }

    /// Commits the waiting messages of all channels, commit by commit, until none is left.
    func commitAll() async {
        while !commits.isEmpty {
            let taken = commits
            commits = []
            telemetry.metrics.commits += 1
            do throws(StorageError) {
                var results = try await storage.appendUnheld(
                    taken.flatMap(\.messages), now: world.now())[...]
                for commit in taken {
                    let own = Array(results.prefix(commit.messages.count))
                    results = results.dropFirst(own.count)
                    if own.contains(where: Self.isHeld) {
                        hold(commit)
                    } else {
                        commit.finish.resume(returning: .success(own))
                    }
                }
            } catch {
                for commit in taken { commit.finish.resume(returning: .failure(error)) }
            }
        }
        isCommitting = false
    }

    private static func isHeld(_ result: Result<Appended?, StorageError>) -> Bool {
        if case .failure(let error) = result { error.isHeld } else { false }
    }

    /// Commits the messages of a channel that another server holds, apart from those of the others.
    ///
    /// All messages of a commit are of one channel.
    private func hold(_ commit: Commit) {
        held.append(commit)
        guard heldCount < Self.heldLimit else { return }
        heldCount += 1
        background.start { await $0.parts.logs.commitHeld() }
    }

    /// Commits held messages, channel by channel, until none is left.
    func commitHeld() async {
        while !held.isEmpty {
            let commit = held.removeFirst()
            telemetry.metrics.commits += 1
            do throws(StorageError) {
                let results = try await storage.append(commit.messages, now: world.now())
                commit.finish.resume(returning: .success(results))
            } catch {
                commit.finish.resume(returning: .failure(error))
            }
        }
        heldCount -= 1
    }

    /// Answers the sender of a message and publishes the message if it is new.
    ///
    /// Without an audience it publishes nothing.
    private func report(
        _ post: Post, _ appending: Result<Appended?, StorageError>, _ audience: Audience?,
        _ sight: Sight?
    ) async {
        let url = post.command.channelURL
        let appended: Appended
        switch appending {
        case .failure(let error): return post.finish(.failure(refusal(error)))
        case .success(nil):
            return post.finish(
                .failure(ServerError(.channelNotFound, "There is no such channel.")))
        case .success(let known?): appended = known
        }
        let answer = appended.answer(in: sight)
        let event = MessageEvent(message: answer, previousMessageID: appended.previousID)
        let news = ServerEvent.message(event).encoded(isOpen: audience?.room != nil)
        if let session = post.session, let requestID = post.command.requestID {
            sessions.send(event.answer(to: requestID, from: news), to: session)
            if appended.isDeleted, let id = appended.message.messageID {
                let deletion = DeletionEvent(
                    channelURL: url, messageID: id, timestamp: world.now(),
                    messageCreatedAt: appended.message.createdAt, senderID: post.sender)
                sessions.send(.deleted(deletion), to: session)
            }
        }
        if !appended.isRepeat {
            telemetry.metrics.messages += 1
            if let begun = post.begun {
                telemetry.metrics.waits.note(milliseconds: world.now().milliseconds(since: begun))
            }
            let except = post.command.requestID == nil ? nil : post.session
            if let audience {
                await publish(appended, event, news, in: url, to: audience, except: except)
            }
        }
        // A poll without a message ID shows that the first try failed before this step.
        do throws(ServerError) {
            if !appended.isDeleted, appended.message.details.poll?.messageID == nil {
                try await polls.carry(appended.message)
            }
        } catch {
            return post.finish(.failure(error))
        }
        // A repeat does not pin: the message may have been unpinned since.
        if post.command.isPinned, !appended.isRepeat, audience?.room == nil,
            let id = appended.message.messageID
        {
            // The message is sent, so a failure of the pin, which the storage's log names, is none of it.
            try? await messages.pin(id, in: url)
        }
        post.finish(.success(answer))
    }

    /// Publishes a new message and the new state of its thread.
    private func publish(
        _ appended: Appended, _ event: MessageEvent, _ news: String, in url: ChannelURL,
        to audience: Audience, except: SessionID?
    ) async {
        if appended.parent == nil {
            let readers = audience.readers(of: appended.message.createdAt)
            await publisher.publish(
                Notice(
                    frame: news, recipients: readers, room: audience.room, except: except,
                    subject: ServerEvent.message(event).subject))
        } else {
            await publisher.publish(appended.message, to: audience, except: except) {
                .message(MessageEvent(message: $0, previousMessageID: appended.previousID))
            }
        }
        await publisher.publishThread(of: appended.parent, in: url, to: audience)
    }
}
