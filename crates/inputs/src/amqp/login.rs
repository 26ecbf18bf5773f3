//! The way to a queue that is read: login, channel, queue.
//!
//! In: methods of the broker. Out: the methods that answer them. Holds: the step that was taken last.
//! Limits: frames of the size that both sides agreed on.

use super::options::{AmqpQueue, AmqpSource};
use crate::broker::Broken;
use transport::{
    amqp::{self, Method, Refusal, Tune, UnfitTune},
    endpoint::Breach,
};

/// The question that was asked last.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Debug)]
pub(super) enum Step {
    Greeting,
    Login,
    Vhost,
    Channel,
    Looking,
    /// The queue is missing: a new channel is opened to make it.
    ChannelAgain,
    Making,
    Binding,
    Prefetch,
    Consuming,
    Reading,
}

/// The step, and what was agreed.
#[derive(Debug)]
pub(super) struct Login {
    pub(super) step: Step,
    pub(super) frame_bytes: usize,
    /// In seconds; 0 is none.
    pub(super) heartbeat: u16,
}

fn unfit(_: UnfitTune) -> Broken {
    Breach("its frames are smaller than the protocol allows").into()
}

/// Judges what a broker says when it ends a channel or a connection.
pub(super) fn refused(refusal: &Refusal, queue: &str, step: Step) -> Broken {
    let Refusal { code, words } = refusal;
    let said = format!("{code} {words}");
    match code {
        // It is shut down, or has an error of its own.
        320 | 541 | 506 => Broken::Lost(said),
        403 if step == Step::Login => Broken::Refused(said),
        402..=406 | 530 | 540 if step > Step::Vhost => Broken::Refused(format!("queue '{queue}': {said}")),
        402..=406 | 503 | 530 | 540 => Broken::Refused(said),
        _ => Broken::Lost(said),
    }
}

impl Login {
    pub(super) fn new(frame_bytes: usize) -> Login {
        Login { step: Step::Greeting, frame_bytes, heartbeat: 0 }
    }

    /// Takes the answer to the last step, and takes the next one.
    pub(super) fn advance(
        &mut self,
        method: &Method,
        options: &AmqpSource,
        out: &mut Vec<u8>,
    ) -> Result<(), Broken> {
        let queue = options.queue.name();
        self.step = match (self.step, method) {
            (Step::Greeting, Method::Start(mechanisms)) => {
                let mechanism = amqp::mechanism(&options.login);
                if !mechanisms.split_ascii_whitespace().any(|offered| offered.eq_ignore_ascii_case(mechanism))
                {
                    let why = format!("the broker does not offer the login {mechanism}, but: {mechanisms}");
                    return Err(Broken::Refused(why));
                }
                amqp::start_ok(&options.login, out);
                Step::Login
            }
            (Step::Login, Method::Tune(offer)) => {
                let tune: Tune = offer.agree(options.frame_bytes, options.heartbeat).map_err(unfit)?;
                (self.frame_bytes, self.heartbeat) = (tune.frame_bytes as usize, tune.heartbeat);
                amqp::tune_ok_and_open(tune, &options.vhost, out);
                Step::Vhost
            }
            (Step::Vhost, Method::ConnectionOpened) => {
                amqp::open_channel(out);
                Step::Channel
            }
            (Step::Channel, Method::ChannelOpened) => {
                amqp::find_queue(queue, out);
                Step::Looking
            }
            (Step::Looking, Method::ChannelClosed(refusal))
                if refusal.code == 404 && matches!(options.queue, AmqpQueue::Made(..)) =>
            {
                amqp::close_channel_ok(out);
                amqp::open_channel(out);
                Step::ChannelAgain
            }
            (Step::ChannelAgain, Method::ChannelOpened) => {
                amqp::make_queue(queue, out);
                Step::Making
            }
            (Step::Looking | Step::Making, Method::QueueDeclared) => self.bind(options, out),
            (Step::Binding, Method::QueueBound) => limit(options, out),
            (Step::Prefetch, Method::PrefetchSet) => {
                amqp::consume(queue, out);
                Step::Consuming
            }
            (Step::Consuming, Method::Consuming) => Step::Reading,
            (_, Method::Blocked(_) | Method::Unblocked) => self.step,
            (step, Method::ChannelClosed(refusal)) => {
                amqp::close_channel_ok(out);
                return Err(refused(refusal, queue, step));
            }
            (step, Method::ConnectionClosed(refusal)) => {
                amqp::close_connection_ok(out);
                return Err(refused(refusal, queue, step));
            }
            (_, Method::Cancelled) => {
                return Err(Broken::Lost(format!(
                    "the broker ended the reading of queue '{queue}': was it deleted?"
                )));
            }
            _ => return Err(Breach("it answers what was not asked").into()),
        };
        Ok(())
    }

    fn bind(&self, options: &AmqpSource, out: &mut Vec<u8>) -> Step {
        match &options.queue {
            AmqpQueue::Made(name, Some(binding)) => {
                amqp::bind_queue(name, &binding.exchange, &binding.routing_key, out);
                Step::Binding
            }
            _ => limit(options, out),
        }
    }
}

fn limit(options: &AmqpSource, out: &mut Vec<u8>) -> Step {
    amqp::limit_unacknowledged(options.prefetch, out);
    Step::Prefetch
}
