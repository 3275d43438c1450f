{-# LANGUAGE DataKinds #-}
{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE DuplicateRecordFields #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE TypeApplications #-}

-- |
-- Module      : Tests.Handshake
-- Description : Types that agree, evolve or differ
module Tests.Handshake (tests) where

import Ashlar.Codec (Codec)
import Ashlar.Network.Messages
import Ashlar.Schema
import Control.Exception (displayException, try)
import Control.Monad (forM)
import qualified Data.ByteString as S
import qualified Data.ByteString.Char8 as C
import Data.IORef
import Data.Int (Int32, Int64)
import qualified Data.List as List
import Data.Text (Text)
import Data.Word (Word16)
import GHC.Generics (Generic)
import Network.Socket (SocketOption (..), setSocketOption)
import System.IO.Unsafe (unsafePerformIO)
import Test.Tasty
import Test.Tasty.QuickCheck
import Tests.Ends

data Old = Old {item :: Text, qty :: Int32}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

data New = New {channel :: Text, item :: Text, count :: Int64}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

instance Described New where
  evolution = [added @"channel" "web", renamed @"qty" @"count"]

data Newer = Newer {note :: Text, item :: Text, qty :: Int32}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

data Signal = Begin | End
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

instance Described Signal where
  evolution = [renamedConstructor @"Start" @"Begin", renamedConstructor @"Stop" @"End"]

data NewerSignal = Start | Pause | Stop
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

data Unlike = Unlike {item :: Text, price :: Double}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

tests :: TestTree
tests =
  testGroup
    "the handshake"
    [ testProperty "an older peer's messages are read as today's" . once . ioProperty $ do
        (a, b) <- pipe 7
        (_, got) <-
          both
            (withConnection defaultOptions (described @Old) number a (`send` Old "brick" 12))
            (withConnection defaultOptions number (described @New) b receiveAll)
        pure (got === ([New "web" "brick" 12], Right ())),
      testProperty "a newer peer's messages: fields are skipped" . once . ioProperty $ do
        (a, b) <- pipe 7
        let sent = Newer "urgent" "brick" 12
        (_, got) <-
          both
            (withConnection defaultOptions described number a (`send` sent))
            (withConnection defaultOptions number (describedSkipping @Old) b receiveAll)
        pure (got === ([Old "brick" 12], Right ())),
      testProperty "a newer peer's messages: constructors are invalid" . once . ioProperty $ do
        (a, b) <- pipe 7
        (_, got) <-
          both
            (withConnection defaultOptions described number a (\c -> mapM_ (send c) [Stop, Pause]))
            (withConnection defaultOptions number (describedSkipping @Signal) b receiveAll)
        pure (got === ([End], Left "InvalidMessage")),
      testProperty "types that differ: both ends say so" . once . ioProperty $ do
        (a, b) <- pipe 7
        (left, right) <-
          both
            (try (withConnection defaultOptions (described @Old) number a nothing))
            (try (withConnection defaultOptions number (described @Unlike) b nothing))
        pure $
          explains "Refused" left "field qty"
            .&&. explains "CannotRead" right "field qty",
      testProperty "types differ both ways: nobody waits" . once . ioProperty . withTcp $ \x y -> do
        a <- socketTransport x
        b <- socketTransport y
        (left, right) <-
          both
            (try (withConnection defaultOptions (described @Old) (described @New) a nothing))
            (try (withConnection defaultOptions (described @Unlike) (described @Unlike) b nothing))
        pure (explains "Refused" left "Unlike" .&&. explains "Refused" right "New"),
      testProperty "types of other names are refused" . once . ioProperty $ do
        (a, b) <- pipe 7
        (left, right) <-
          both
            (try (withConnection defaultOptions number number a nothing))
            (try (withConnection defaultOptions number other b nothing))
        pure (explains "Refused" left "other" .&&. explains "CannotRead" right "other"),
      testProperty "another protocol is refused at its first wrong byte" . once . conjoin $
        [ ioProperty $ do
            (transport, _) <- scripted (map S.singleton (S.unpack bytes)) Stays
            r <- try (withConnection defaultOptions number number transport nothing)
            pure $ case r of
              Left (OtherProtocol start) -> start === expected
              _ -> counterexample (either show (const "fine") r) False
          | (bytes, expected) <-
              [ ("HTTP/1.1 400 Bad Request\r\n", "H"),
                ("\x89\&ASHLAR\n", "\x89\&ASHL")
              ]
        ],
      testProperty "another protocol is shown by what has arrived of it" . once . conjoin $
        [ ioProperty $ do
            (transport, _) <- scripted chunks Stays
            r <- try (withConnection defaultOptions number number transport nothing)
            pure $ case r of
              Left (OtherProtocol start) -> start === expected
              _ -> counterexample (either show (const "fine") r) False
          | (chunks, expected) <-
              [ (["GET / HTTP/1.1\r\nHost: example\r\n"], "GET / HTTP/1.1\r\n"),
                (["GET /", " HTTP/1.1\r\n"], "GET /"),
                (["\x89\&A", "SHLAR\n"], "\x89\&ASHLAR\n")
              ]
        ],
      testProperty "an unknown version is refused" . once . ioProperty $ do
        (transport, _) <- scripted ["\x89\&ASHMSG\n\2\0"] Stays
        r <- outcome (withConnection defaultOptions number number transport nothing)
        pure (r === Left "UnknownVersion 2"),
      testProperty "what is too large is refused before it arrives" . once . conjoin $
        [ ioProperty $ do
            (transport, _) <- scripted [start] Stays
            r <- outcome (withConnection defaultOptions number number transport nothing)
            pure (r === Left "InvalidHandshake")
          | start <-
              [ "\x89\&ASHMSG\n\1\0\0\0" <> C.replicate 16 'f' <> "\1\0\16\0",
                "\x89\&ASHMSG\n\1\0\0\0" <> C.replicate 16 'f' <> "\255\255\255\255",
                "\x89\&ASHMSG\n\1\0\2\0" <> C.replicate 20 '\0'
              ]
        ],
      testProperty "a schema of exactly the limit is accepted" . once . conjoin $
        [ ioProperty . withEnds Pair $ \a b -> do
            let options = defaultOptions {optionsSchemaLimit = limit}
            (r, _) <-
              both
                (outcome (withConnection options number number a nothing))
                (outcome (withConnection defaultOptions number number b nothing))
            pure (r === expected)
          | (limit, expected) <- [(6, Right ()), (5, Left "InvalidHandshake")]
        ],
      testProperty "each byte of a hello changed: refused" . once . ioProperty $ do
        bytes <- recorded defaultOptions number (const (pure ()))
        ends <- forM [0 .. S.length bytes - 9] $ \i -> do
          let (before, rest) = S.splitAt i bytes
          (transport, _) <- scripted [before, S.map (+ 1) (S.take 1 rest), S.drop 1 rest] Closes
          outcome (withConnection defaultOptions number number transport nothing)
        pure . conjoin $
          [ counterexample (show (i, end)) (end /= Right ())
            | (i, end) <- zip [0 :: Int ..] ends
          ],
      testProperty "a verdict that is too long is refused at once" . once . ioProperty $ do
        start <- untilVerdict
        (transport, _) <- scripted [start <> "\1\16\0\0"] Stays
        r <- outcome (withConnection defaultOptions number number transport nothing)
        pure (r === Left "InvalidHandshake"),
      testProperty "a verdict cannot control a terminal" . once . ioProperty $ do
        start <- untilVerdict
        (transport, _) <- scripted [start <> "\8\0\0\0\ESC[2Jno\r\n"] Stays
        r <- try (withConnection defaultOptions number number transport nothing)
        pure $ case r of
          Left (Refused why) -> why === "?[2Jno?\n"
          _ -> counterexample (either show (const "fine") r) False,
      testProperty "the timeout covers examining the peer's schema" . once . ioProperty $ do
        finished <- newIORef False
        let slow n
              | n == (0 :: Integer) = unsafePerformIO (writeIORef finished True)
              | otherwise = slow (n - 1)
            evolved = slow 1000000000 `seq` Left "slow"
            ty = number {typeEvolved = \_ _ -> evolved} :: RecordType Word16
            brief = defaultOptions {optionsHandshakeTime = 200000}
        (a, b) <- pipe 7
        (left, _) <-
          both
            (outcome (withConnection brief number ty a nothing))
            (outcome (withConnection defaultOptions other number b nothing))
        late <- readIORef finished
        pure ((left, late) === (Left "TimedOut Handshaking", False)),
      testProperty "large schemas do not make both ends wait" . once . ioProperty . withTcp $
        \x y -> do
          sequence_ [setSocketOption s o 4096 | s <- [x, y], o <- [SendBuffer, RecvBuffer]]
          a <- socketTransport x
          b <- socketTransport y
          let huge = fixedType (replicate 200000 'x') :: RecordType Word16
          (got, _) <-
            both
              (withConnection defaultOptions huge huge a receiveAll)
              (withConnection defaultOptions huge huge b (`send` 5))
          pure (got === ([5], Right ()))
    ]
  where
    -- What a peer sends before its verdict, which has 4 bytes, as the end has.
    untilVerdict = do
      bytes <- recorded defaultOptions number (const (pure ()))
      pure (S.take (S.length bytes - 8) bytes)
    nothing :: Connection a b -> IO ()
    nothing _ = pure ()
    other = fixedType "other" :: RecordType Word16
    explains :: String -> Either ConnectionError () -> String -> Property
    explains constructor r part' = case r of
      Left e ->
        counterexample (displayException e) $
          List.isInfixOf part' (displayException e) .&&. takeWhile (/= ' ') (show e) === constructor
      Right () -> counterexample "no error" False
