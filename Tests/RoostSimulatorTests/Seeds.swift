// SPDX-License-Identifier: Apache-2.0

import RoostSimulator

/// Runs that once broke an invariant.
///
/// A failing run of `roost-simulate` ends with a line for this list. A new action gives every seed
/// another run unless it is behind all others; a bug of the clients has a test of its own too.
enum Seeds {
    static let kept: [KeptRun] = [
        KeptRun(.full, seed: 5, of: 60),
        KeptRun(.full, seed: 119, of: 60),
        KeptRun(.full, seed: 138, of: 60),
        KeptRun(.full, seed: 141, of: 60),
        KeptRun(.full, seed: 22, of: 120),
        KeptRun(.full, seed: 1_000_299, of: 60),
        KeptRun(.full, seed: 5_000_238, of: 60),
        KeptRun(.full, seed: 6_002_596, of: 60),
        KeptRun(.full, seed: 4_000_481, of: 60),
        KeptRun(.full, seed: 4_001_371, of: 60),
        KeptRun(.full, seed: 4_003_698, of: 60),
        KeptRun(.full, seed: 179_532_046_250_268, of: 60),
        KeptRun(.full, seed: 67_522_663_790, of: 60),
        KeptRun(.full, seed: 70_829_567_804, of: 60),
        KeptRun(.full, seed: 70_829_568_288, of: 60),
        KeptRun(.full, seed: 104_963_515_093, of: 60),
        KeptRun(.full, seed: 19_428_522_462, of: 60),
        KeptRun(.full, seed: 62_669_985_683, of: 60),
        KeptRun(.full, seed: 179_534_344_594, of: 60),
        KeptRun(.full, seed: 179_534_668_579, of: 60),
        KeptRun(.full, seed: 421_920_930, of: 40),
        KeptRun(.full, seed: 82, of: 60, steps: [8, 10, 16, 17, 49, 55, 56]),
        KeptRun(.core, seed: 1217, of: 60, steps: [6, 11, 12, 17, 18, 19, 20]),
        KeptRun(.core, seed: 1241, of: 60, steps: [8, 10, 12, 26, 27]),
        KeptRun(.core, seed: 3260, of: 60, steps: [0, 1, 3, 5, 9, 10, 17, 26, 28, 47]),
        KeptRun(.core, seed: 4968, of: 60, steps: [14, 15, 21, 34, 35]),
        KeptRun(.core, seed: 8216, of: 60, steps: [1, 19, 26, 27, 29, 30]),
        KeptRun(.core, seed: 8298, of: 60, steps: [0, 18, 21, 22, 23, 25, 26]),
        KeptRun(.core, seed: 863_271_719, of: 60, steps: [25, 32, 36, 37, 38]),
        KeptRun(
            .core, seed: 22_176, of: 60, steps: [13, 28, 29, 31, 34, 36, 40, 45, 46, 47]),
        KeptRun(
            .core, seed: 19_437, of: 60,
            steps: [0, 1, 2, 16, 17, 21, 22, 23, 25, 27, 36, 37, 38]),
        KeptRun(
            .core, seed: 136_733, of: 60,
            steps: [0, 16, 17, 21, 22, 27, 28, 31, 34, 35, 42, 43, 44, 46, 53]),
        KeptRun(.core, seed: 138_971, of: 60, steps: [5, 10, 25, 26, 29, 55, 57, 59]),
        KeptRun(.core, seed: 140_513, of: 60, steps: [1, 2, 5, 13, 29, 33, 34, 35]),
        KeptRun(.core, seed: 152_327, of: 60, steps: [6, 9, 20, 21, 24, 27, 33, 37]),
        KeptRun(.core, seed: 218_239, of: 60, steps: [1, 2, 11, 12, 13, 14, 15, 16]),
        KeptRun(.core, seed: 16_500, of: 60, steps: [14, 53, 54, 57, 58]),
        KeptRun(
            .core, seed: 4_647, of: 60,
            steps: [
                0, 4, 6, 7, 8, 9, 10, 12, 13, 16, 17, 18, 19, 20, 21, 25, 26, 27, 30, 56, 57, 58,
                59,
            ]),
        KeptRun(
            .core, seed: 111_531, of: 60,
            steps: [
                1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 23, 24,
                27, 28, 29, 30, 31, 32, 33, 34, 39, 41, 42,
            ]),
        KeptRun(
            .core, seed: 152_089, of: 60,
            steps: [
                1, 5, 6, 7, 8, 9, 10, 14, 15, 16, 17, 25, 26, 27, 28, 30, 31, 32, 33, 34, 35, 36,
                38,
            ]),
        KeptRun(
            .core, seed: 191_835, of: 60,
            steps: [12, 16, 17, 19, 20, 22, 23, 24, 25, 28, 40, 47, 52, 55, 56, 57, 58]),
        KeptRun(
            .core, seed: 272_968, of: 60,
            steps: [7, 10, 11, 12, 17, 19, 20, 21, 25, 27, 28, 29, 32, 33]),
        KeptRun(.core, seed: 285_995, of: 60, steps: [27, 29, 30, 31, 32, 33, 34, 36, 58]),
        KeptRun(
            .core, seed: 333_167, of: 60,
            steps: [1, 14, 15, 16, 18, 19, 20, 21, 23, 24, 25, 26, 27]),
        KeptRun(.core, seed: 437_352, of: 60, steps: [10, 11, 18, 19, 20]),
        KeptRun(
            .core, seed: 87_957, of: 60,
            steps: [
                0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 19, 20, 22, 23, 24, 26, 27, 28, 29, 30, 31,
                32,
                33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 48, 49, 50, 51,
            ]),
        KeptRun(
            .core, seed: 209, of: 60,
            steps: [5, 6, 8, 9, 11, 12, 16, 18, 20, 21, 40, 41, 44], actions: 72),
        KeptRun(.core, seed: 471, of: 60, steps: [1, 5, 36, 37, 54], actions: 72),
        KeptRun(.core, seed: 5115, of: 60, steps: [12, 18, 19, 54], actions: 72),
        // A new message lay in a gap that had been counted; another device missed a mute's event.
        KeptRun(.core, seed: 9967, of: 60, steps: [5, 33, 34, 38, 44, 45], actions: 77),
        KeptRun(
            .core, seed: 15_377, of: 60, steps: [7, 12, 14, 18, 23, 26, 27, 31, 46, 49, 56, 59],
            actions: 77),
        // Two changes of a channel were written together, and the first one dropped the second.
        KeptRun(.core, seed: 109_912, of: 60, steps: [16, 17, 18], actions: 77),
        // A deletion was told before a catch-up counted the messages, and stored after it.
        KeptRun(
            .core, seed: 204_843, of: 60,
            steps: [
                1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 14, 15, 17, 18, 19, 20, 21, 22, 27, 28, 29, 30, 32,
                33, 34, 47, 48, 50, 51, 52, 53, 54,
            ], actions: 77),
        // A filtered view alone had fetched the message that was deleted.
        KeptRun(.core, seed: 39_432, of: 60, steps: [0, 1, 2, 3, 4, 5, 11, 27, 38], actions: 77),
        // A message came and was deleted while an answer about its channel was in flight.
        KeptRun(
            .core, seed: 885_720, of: 60,
            steps: [
                1, 2, 3, 4, 5, 6, 7, 8, 11, 13, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 33, 34, 35,
                36, 37, 39, 40, 41, 42, 43, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58,
                59,
            ], actions: 77),
        // The user was back in a channel before a full disk had let it be removed.
        KeptRun(
            .core, seed: 987_239, of: 60,
            steps: [
                1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 14, 15, 17, 19, 20, 21, 22, 24, 34, 46,
            ], actions: 77),
        // A message was deleted after a reconnection, and no timeline showed its place.
        KeptRun(
            .core, seed: 380_486, of: 60,
            steps: [
                0, 1, 2, 4, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 27, 28,
                29, 30, 31, 32, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 55,
            ], actions: 77),
        // The answer to a removal was there before the event of the other device's addition.
        KeptRun(
            .core, seed: 21_700, of: 60,
            steps: [
                0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22,
                23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43,
                44, 45, 52, 53, 54, 55, 56, 57, 58, 59,
            ], actions: 77),
        // The cache was cleared while a page of the channels' log was on its way; a page of the list
        // then left out what the other page had, and the cursor was behind both.
        KeptRun(
            .core, seed: 306_864, of: 60, steps: [9, 10, 11, 12, 28, 49, 51, 52, 55, 57, 58, 59],
            actions: 77),
        // A page of channels was being stored while the channel of a deleted message was read.
        KeptRun(
            .core, seed: 676_578, of: 60,
            steps: [0, 3, 8, 10, 12, 16, 22, 31, 35, 38, 40, 42, 43, 44, 45], actions: 77),
        // A filtered page reached the newest end, and an edit made a message behind it match.
        KeptRun(
            .core, seed: 574_469, of: 60, steps: [0, 3, 4, 5, 12, 13, 14, 17, 32, 39, 53, 59],
            actions: 77),
        // A later update of the channel list left the walk to an earlier one, which was not repeated.
        KeptRun(.core, seed: 56_741, of: 60, steps: [5, 6, 22, 30, 31, 41], actions: 77),
        // A download closed the huge gap of a timeline, which then lost all that it showed.
        KeptRun(
            .core, seed: 789_775, of: 60,
            steps: [0, 1, 2, 4, 5, 24, 25, 26, 27, 28, 29, 35, 58], actions: 77),
    ]
}
