//! The same result whatever the pieces and whatever the room.

use crate::examine::{agrees, every};
use crate::half::EVERY;
use crate::plans;

#[test]
fn no_split_of_the_input_changes_the_result() {
    every(EVERY, |bench, input| {
        let reference = bench.reference(input)?;
        let plans = plans::splits(&bench.half, input);
        plans.iter().try_for_each(|plan| agrees(&mut bench.half, input, plan, &reference))
    });
}

#[test]
fn no_room_of_a_window_or_more_changes_the_result() {
    every(EVERY, |bench, input| {
        let reference = bench.reference(input)?;
        let plans = plans::rooms(&bench.half, input);
        plans.iter().try_for_each(|plan| agrees(&mut bench.half, input, plan, &reference))
    });
}

#[test]
fn rooms_that_are_too_small_change_nothing_but_the_number_of_calls() {
    every(EVERY, |bench, input| {
        let reference = bench.reference(input)?;
        let plans = plans::cramped(&bench.half, input);
        plans.iter().try_for_each(|plan| agrees(&mut bench.half, input, plan, &reference))
    });
}
