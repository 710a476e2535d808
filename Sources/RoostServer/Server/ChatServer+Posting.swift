// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostWire

/// A message on its way into its channel's log.
struct Post {
    let command: MessageCommand
    let rule: AccessRule
    let caller: APICaller
    /// Nil for an administrator's message.
    let sender: UserID?
    /// The socket it came over.
    var session: SessionID?
    let finish: (Result<Message, ServerError>) -> Void
}

/// What is on its way into the logs.
///
/// What comes while a batch is made durable becomes the next one, so that one wait for the disk serves
/// as many as came during the last.
struct Posting {
    /// By channel, in the order they came; a channel that has an entry, even an empty one, has somebody
    /// who empties it.
    fileprivate var posts: [ChannelURL: [Post]] = [:]
    fileprivate var commits: [Commit] = []
    fileprivate var isCommitting = false

    /// Messages of one channel that wait for the storage, with those of others.
    fileprivate struct Commit {
        let messages: [Message]
        let finish: CheckedContinuation<Appendings, Never>
    }

    fileprivate typealias Appendings = Result<[Result<Appended?, StorageError>], StorageError>

    /// How many of a channel are taken up at once.
    fileprivate static let batchLimit = 256
}

// Frames of one socket are not awaited one by one: a wait for the disk each would bound a sender to the
// disk's pace, whatever comes together.
extension ChatServer {
    /// Appends a message to its channel's log and tells everybody of it, once.
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

    /// Takes a message up; its `finish` is told when it is on the disk, or refused.
    ///
    /// The session it came over gets the answer and nothing else; every other session of every member,
    /// the sender's own included, gets the news (`docs/protocol` 2.3).
    func post(_ post: Post) {
        let url = post.command.channelURL
        guard posting.posts[url] == nil else {
            posting.posts[url]?.append(post)
            return
        }
        posting.posts[url] = [post]
        // Ends with the queue, whose length the limits of sockets and calls bound.
        start { await $0.empty(url) }
    }

    private func empty(_ url: ChannelURL) async {
        while posting.posts[url]?.isEmpty == false {
            await lanes.inLane(of: url) {
                let batch = Array((posting.posts[url] ?? []).prefix(Posting.batchLimit))
                posting.posts[url]?.removeFirst(batch.count)
                await append(batch, to: url)
            }
        }
        posting.posts[url] = nil
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
        var (posts, messages): ([(Post, PollClaim?)], [Message]) = ([], [])
        for post in batch {
            do throws(ServerError) {
                try configuration.limits.check(post.command)
                let standing = try await admit(
                    post, among: audience.members, &standings)
                var message = try await compose(post.command, from: standing, to: audience)
                // Last, so that what is refused claims nothing.
                let claim = try await attachPoll(to: &message, by: standing.actor)
                posts.append((post, claim))
                messages.append(message)
            } catch {
                // What is in the log already is acknowledged, whatever has changed since: a client that
                // heard a refusal would call a message failed that everybody reads.
                guard let known = await repeated(post) else {
                    post.finish(.failure(error))
                    continue
                }
                posts.append((post, nil))
                messages.append(known)
            }
        }
        guard !messages.isEmpty else { return }
        switch await commit(messages) {
        case .failure(let error):
            for (post, claim) in posts {
                await release(claim)
                post.finish(.failure(refusal(error)))
            }
        case .success(let appendings):
            for ((post, claim), appending) in zip(posts, appendings) {
                let appended = try? appending.get()
                let carried = appended?.isDeleted == false ? appended?.message.details.poll : nil
                if carried?.id != claim?.poll { await release(claim) }
                await report(post, appending, audience)
            }
        }
    }

    /// A message that its sender sends again, to be appended: the log answers with what it holds of it.
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

    /// The writer of a message, as far as the decision on it depends on them.
    private struct Speaker: Hashable {
        let rule: AccessRule
        let caller: APICaller
        let sender: UserID?
        let session: SessionID?
    }

    /// Decides on a message, once for all that its writer has in a batch.
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

    /// Has messages made durable, with whatever else waits for it.
    private func commit(_ messages: [Message]) async -> Posting.Appendings {
        await withCheckedContinuation { continuation in
            posting.commits.append(Posting.Commit(messages: messages, finish: continuation))
            guard !posting.isCommitting else { return }
            posting.isCommitting = true
            start { await $0.commitAll() }
        }
    }

    private func commitAll() async {
        while !posting.commits.isEmpty {
            let commits = posting.commits
            posting.commits = []
            telemetry.metrics.commits += 1
            do throws(StorageError) {
                var results = try await storage.append(
                    commits.flatMap(\.messages), now: world.now())[...]
                for commit in commits {
                    let own = Array(results.prefix(commit.messages.count))
                    results = results.dropFirst(own.count)
                    commit.finish.resume(returning: .success(own))
                }
            } catch {
                for commit in commits { commit.finish.resume(returning: .failure(error)) }
            }
        }
        posting.isCommitting = false
    }

    /// Says what became of a message: to who sent it and, when it is new, to everybody.
    private func report(
        _ post: Post, _ appending: Result<Appended?, StorageError>, _ audience: Audience
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
        let event = MessageEvent(message: appended.message, previousMessageID: appended.previousID)
        let news = ServerEvent.message(event).encoded(isOpen: audience.room != nil)
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
            let except = post.command.requestID == nil ? nil : post.session
            if appended.parent == nil {
                let readers = audience.readers(of: appended.message.createdAt)
                await publisher.publish(
                    Notice(frame: news, recipients: readers, room: audience.room, except: except))
            } else {
                await publisher.publish(appended.message, to: audience, except: except) {
                    .message(
                        MessageEvent(message: $0, previousMessageID: appended.previousID))
                }
            }
            await publisher.publishThread(of: appended.parent, in: url, to: audience)
        }
        // A copy without the message's ID is from before the poll knew of it: the first try failed there.
        if !appended.isDeleted, appended.message.details.poll?.messageID == nil {
            do throws(ServerError) {
                try await carry(appended.message)
            } catch {
                return post.finish(.failure(error))
            }
        }
        post.finish(.success(appended.message))
    }
}
