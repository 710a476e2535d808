// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// A logarithmic axis: equal factors are equally long.
///
/// An axis that covers values ends on the grid 1, 2, 5, 10, 20, 50, … so that both ends can be
/// labelled.
struct LogScale {
    /// The values at both ends.
    let lower: Double
    let upper: Double
    /// The coordinates of both ends.
    let start: Double
    let end: Double

    /// Makes an axis.
    ///
    /// - Parameters:
    ///   - values: The values that it must contain; others than positive numbers do not count.
    ///   - start: The coordinate of the lower end.
    ///   - end: The coordinate of the upper end.
    ///   - leastSteps: The least number of steps of the grid; three are a factor of ten.
    init(covering values: [Double], from start: Double, to end: Double, leastSteps: Int) {
        let values = values.filter(Self.isShown)
        let low = values.min().map { Self.step(atMost: $0) } ?? 0
        let high = values.max().map { -Self.step(atMost: 1 / $0) } ?? 0
        let missing = max(0, max(leastSteps, 1) - (high - low))
        self.init(
            between: Self.value(low), Self.value(high + missing), from: start, to: end)
    }

    /// Makes an axis with exactly these values at its ends; the lower one must be positive.
    init(between lower: Double, _ upper: Double, from start: Double, to end: Double) {
        (self.lower, self.upper, self.start, self.end) = (lower, upper, start, end)
    }

    /// Whether a value has a place on a logarithmic axis; beyond the bounds no cost is believable.
    static func isShown(_ value: Double) -> Bool {
        value.isFinite && (1e-12...1e18).contains(value)
    }

    /// Returns the coordinate of a value; those beyond an end, zero included, are at that end.
    func place(_ value: Double) -> Double {
        guard value > lower else { return start }
        guard value < upper else { return end }
        return start + (end - start) * (log10(value) - log10(lower)) / (log10(upper) - log10(lower))
    }

    /// The values to label, at most nine: the whole grid, or some of the powers of ten.
    var ticks: [Double] {
        let first = Self.step(atMost: lower)
        let steps = first...max(first, Self.step(atMost: upper))
        guard steps.count > 9 else { return steps.map { Self.value($0) } }
        let powers = steps.filter { $0.isMultiple(of: 3) }
        let stride = (powers.count + 8) / 9
        return powers.filter { ($0 / 3).isMultiple(of: stride) }.map { Self.value($0) }
    }

    /// Returns the value of a step: 0 is 1, 1 is 2, 2 is 5, 3 is 10, -1 is 0.5.
    private static func value(_ step: Int) -> Double {
        let power = (step >= 0 ? step : step - 2) / 3
        let factor = [1.0, 2, 5][step - power * 3]
        // A division by a power of ten is exact to the last digit, a product with 0.1 is not.
        return power >= 0 ? factor * pow(10, Double(power)) : factor / pow(10, Double(-power))
    }

    /// Returns the last step that is at most a value.
    private static func step(atMost value: Double) -> Int {
        var step = Int(log10(value).rounded(.down)) * 3 + 3
        // A few steps: the logarithm is exact but for its last digits.
        while step > -60, Self.value(step) > value * (1 + 1e-9) { step -= 1 }
        return step
    }
}
