{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.Golden
-- Description : The bytes of some envelopes
--
-- The files in @tests/golden@ are hexadecimal, 16 bytes in a line. They were written by the first
-- version. Whoever changes one loses the jobs of users who update in the middle.
module Tests.Golden (tests) where

import Ashlar.File (fixedType)
import Ashlar.Jobs
import Ashlar.Jobs.Engine
import Ashlar.Jobs.Engine.Memory
import Ashlar.Jobs.Internal.Job (aboutJob)
import Control.Monad (unless)
import qualified Data.ByteString as S
import Data.Char (isSpace)
import Data.IORef
import Data.Word (Word16)
import Numeric (readHex, showHex)
import System.Directory (createDirectoryIfMissing, doesFileExist)
import System.FilePath ((</>))
import Test.Tasty
import Test.Tasty.QuickCheck hiding (again, collect)
import Tests.Types

tests :: TestTree
tests =
  testGroup
    "golden envelopes"
    [ golden "task" once' plain [1, 2, 258] (const (pure ())) fst,
      golden "results" once' plain [1, 2, 258] (const (pure ())) snd,
      golden "failure" once' plain [1, 2, 258] (const (ioError (userError "no"))) snd,
      golden "parts" once' {workerCuts = 32} plain [1, 2, 258] onlyTwo snd,
      golden "compressed" once' zeroed (replicate 20 0) (const (pure ())) fst
    ]
  where
    once' = defaultWorkerOptions {workerAttempts = 1, workerCuts = 0}
    zeroed = plain {jobCompression = Just zeros}
    onlyTwo n = if n == 2 then ioError (userError "no") else pure ()
    plain = Job "double" (fixedType "number") (fixedType "number") Nothing 1000

-- The bytes of the batch or of its result, and what old bytes give.
golden ::
  String ->
  WorkerOptions ->
  Job Word16 Word16 ->
  [Word16] ->
  (Word16 -> IO ()) ->
  ((S.ByteString, S.ByteString) -> S.ByteString) ->
  TestTree
golden name options j input check which = testProperty name . once . ioProperty $ do
  batch <- newIORef S.empty
  result <- newIORef S.empty
  engine <- memoryEngine <$> newMemory ReturnAtOnce
  let kept =
        engine
          { engineAdd = \r n -> writeIORef batch (newBytes n) >> engineAdd engine r n,
            engineStore = \r w n bytes aside ->
              writeIORef result bytes >> engineStore engine r w n bytes aside
          }
  _ <- submit kept j (\n give -> mapM_ give (drop (fromIntegral n) input))
  _ <- workerWith options kept j f
  got <- collect kept j (\cs c -> pure (collectedResults c : cs)) []
  bytes <- which <$> ((,) <$> readIORef batch <*> readIORef result)
  let file = "tests" </> "golden" </> (name ++ ".txt")
  there <- doesFileExist file
  unless there $ createDirectoryIfMissing True "tests/golden" >> writeFile file (dump bytes)
  old <- readFile file
  -- What is read from the bytes of the file.
  again <- replayed (fromHex old)
  pure $
    conjoin
      [ counterexample (file ++ " was missing, and has been written") there,
        dump bytes === old,
        again === got
      ]
  where
    f x = (2 * x) <$ check x
    -- An engine that has these bytes as a batch, or as a result.
    replayed bytes = do
      engine <- memoryEngine <$> newMemory ReturnAtOnce
      (r, p) <- engineOpen engine (aboutJob j)
      _ <- engineAdd engine r (NewBatch (progressSession p) 1 0 1 bytes)
      _ <- engineClose engine r (progressSession p) 1
      if which ("task", "result") == "task"
        then () <$ workerWith options engine j f
        else () <$ engineStore engine r "worker" 0 bytes Nothing
      collect engine j (\cs c -> pure (collectedResults c : cs)) []

dump :: S.ByteString -> String
dump bytes
  | S.null bytes = ""
  | otherwise = unwords (map byte (S.unpack row)) ++ "\n" ++ dump rest
  where
    (row, rest) = S.splitAt 16 bytes
    byte w = (if w < 16 then "0" else "") ++ showHex w ""

fromHex :: String -> S.ByteString
fromHex text = S.pack (pairs (filter (not . isSpace) text))
  where
    pairs (a : b : rest) = sum (map fst (readHex [a, b])) : pairs rest
    pairs _ = []
