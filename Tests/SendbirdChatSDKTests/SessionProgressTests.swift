// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostDoors
import RoostModel
import Testing

/// The decisions about the session's delegate, which both doors share.
struct SessionProgressTests {
    struct Row: CustomTestStringConvertible, Sendable {
        let answer: TokenAnswer?
        let step: ConnectionStep
        var state = ConnectionState.disconnected
        let notices: [SessionNotice]

        var testDescription: String {
            "\(String(describing: answer)), \(step), \(state): \(notices)"
        }
    }

    private static let refusal = RoostError(.tokenInvalid, remedy: .signIn, message: "no")
    private static let outage = RoostError(.networkError, remedy: .retry, message: "down")
    private static let noAnswers: [TokenAnswer] = [.failure, .released, .late]

    static let rows: [Row] =
        [
            Row(answer: nil, step: .connected, notices: []),
            Row(answer: .token("new"), step: .connected, notices: [.refreshed]),
            Row(answer: .token("new"), step: .regained, notices: [.refreshed]),
            Row(answer: .token(nil), step: .connected, notices: []),
            Row(answer: .token("new"), step: .lost, notices: []),
            Row(answer: .token("new"), step: .disconnected, notices: []),
        ]
        + ([nil, .token("new"), .token(nil)] + noAnswers).map { (answer: TokenAnswer?) in
            Row(
                answer: answer, step: .givenUp, state: .refused(refusal),
                notices: [.refused(refusal), .closed])
        }
        + ([nil, .token("new")] + noAnswers).map {
            Row(answer: $0, step: .givenUp, state: .refused(outage), notices: [])
        }
        + noAnswers.map { Row(answer: $0, step: .connected, notices: []) }
        + noAnswers.map {
            Row(
                answer: $0, step: .refused, state: .refused(refusal),
                notices: [.refused(refusal), .closed])
        }

    @Test(arguments: rows)
    func `a step of the connection means notices by the last answer of the app`(row: Row) {
        var progress = SessionProgress(failureCode: .tokenInvalid)
        if let answer = row.answer { _ = progress.take(answer) }
        #expect(progress.notices(of: row.step, row.state) == row.notices)
    }

    @Test func `an answer without a token is reported once, with the door's code`() {
        for answer in Self.noAnswers {
            var progress = SessionProgress(failureCode: .sessionKeyExpired)
            guard case .failure(let error) = progress.take(answer) else {
                return #expect(Bool(false), "\(answer)")
            }
            #expect(error.code == .sessionKeyExpired && error.remedy == .retry)
        }
        var progress = SessionProgress(failureCode: .tokenInvalid)
        let (new, none) = (progress.take(.token("new")), progress.take(.token(nil)))
        #expect(new == .success("new"))
        #expect(none == .success(nil))
    }

    @Test func `a renewal is told once, and a later refusal is one of its own`() {
        var progress = SessionProgress(failureCode: .tokenInvalid)
        _ = progress.take(.token("new"))
        #expect(progress.notices(of: .lost, .disconnected) == [])
        #expect(progress.notices(of: .regained, .disconnected) == [.refreshed])
        #expect(progress.notices(of: .connected, .disconnected) == [])
        #expect(
            progress.notices(of: .givenUp, .refused(Self.refusal))
                == [.refused(Self.refusal), .closed])
        _ = progress.take(.token("new"))
        _ = progress.notices(of: .givenUp, .refused(Self.refusal))
        #expect(progress.notices(of: .connected, .disconnected) == [])
    }
}
