// SPDX-License-Identifier: Apache-2.0

/// The decisions about faults: a plan and the occasions so far, and nothing else.
///
/// Each occasion is counted for its user. The random numbers of a decision depend on seed, kind,
/// user and count, so the traffic of one user does not change the faults of another. The same
/// occasions give the same faults.
package struct ChaosMachine: Sendable {
    private struct Counter: Hashable {
        let occasion: ChaosOccasion
        let user: String
    }

    private let plan: ChaosPlan
    private var counts: [Counter: Int] = [:]
    private var users: Set<String> = []
    /// The number of faults of each user so far.
    private var faultCounts: [String: Int] = [:]
    /// The number of faults so far.
    package private(set) var faultCount = 0

    /// The most users with counters of their own; further ones share those of unknown users.
    package static let userLimit = 10_000

    package init(_ plan: ChaosPlan) { self.plan = plan }

    /// Counts an occasion, and decides whether it has a fault.
    ///
    /// - Parameters:
    ///   - occasion: The place of the traffic.
    ///   - user: The user whose traffic it is; empty if unknown.
    /// - Returns: The fault; nil for none.
    package mutating func decide(_ occasion: ChaosOccasion, of user: String) -> ChaosFault? {
        let user = counted(user)
        let counter = Counter(occasion: occasion, user: user)
        let place = counts[counter, default: 0] + 1
        counts[counter] = place
        if let most = plan.most, faultCounts[user, default: 0] >= most { return nil }
        let kinds = ChaosKind.allCases.filter { $0.occasion == occasion }
        let fixed = kinds.first { kind in
            plan.faults.contains(.init(kind, user: user, nth: place))
                || plan.faults.contains(.init(kind, nth: place))
        }
        guard let kind = fixed ?? kinds.first(where: { isDrawn($0, user, place) }) else {
            return nil
        }
        faultCount += 1
        faultCounts[user, default: 0] += 1
        return ChaosFault(
            number: faultCount, kind: kind, user: user, place: place,
            harm: harm(of: kind, user, place))
    }

    private mutating func counted(_ user: String) -> String {
        if users.contains(user) { return user }
        guard users.count < Self.userLimit else { return "" }
        users.insert(user)
        return user
    }

    private func isDrawn(_ kind: ChaosKind, _ user: String, _ place: Int) -> Bool {
        guard let rate = plan.rates[kind], rate > 0 else { return false }
        var dice = ChaosDice(seed: plan.seed, kind: kind, user: user, place: place)
        return dice.share() < rate
    }

    /// Returns the effect of a fault; a fixed fault has the one that a drawn fault would have.
    private func harm(of kind: ChaosKind, _ user: String, _ place: Int) -> ChaosHarm {
        var dice = ChaosDice(seed: plan.seed, kind: kind, user: user, place: place)
        // The first number decides about the fault itself.
        _ = dice.next()
        switch kind {
        case .lateAcknowledgement, .slowPage:
            return .delay(milliseconds: dice.number(in: plan.delayMS))
        case .lostAcknowledgement, .lostAnswer: return .loss
        case .repeatedAcknowledgement: return .repetition
        case .halfOpen: return .silence
        case .restart:
            return .restart(closeFrame: dice.isHeads(), isAfterwards: dice.isHeads())
        case .busyLogin, .busyCall: return .busy(seconds: dice.number(in: plan.busySeconds))
        case .httpError: return .status([500, 502, 503][Int(dice.number(in: 0...2))])
        case .expiredSession: return .endOfSession
        case .expiredToken: return .endOfTokens
        case .shortPage: return .cut(draw: dice.next())
        case .clockStep: return .step(milliseconds: dice.number(in: plan.stepMS))
        }
    }
}
