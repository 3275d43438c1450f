{-# LANGUAGE UnboxedTuples #-}
{-# OPTIONS_GHC -Wno-orphans #-}

-- |
-- Module      : Ashlar.Get.Alternative
-- Description : Choices, looking ahead, labels, and isolated stretches
--
-- What a decoder does around another decoder. (The 'Alternative' instance is
-- here, and not beside the type, because it needs the handlers.)
module Ashlar.Get.Alternative
  ( lookAhead,
    label,
    isolate,
  )
where

import Ashlar.Get.Core
import Ashlar.Get.Env
import Ashlar.Get.Error
import Ashlar.Get.Input
import Ashlar.Get.Place
import Ashlar.Mem.Cells
import Control.Applicative (Alternative (..))
import Control.Monad (MonadPlus)
import Data.IORef (newIORef, readIORef, writeIORef)
import GHC.IO (IO (..), unIO)

-- Note [Backtracking]
-- ~~~~~~~~~~~~~~~~~~~
-- A choice point is the offset to go back to, and the limit, keepCell and
-- emptiesCell in force there. keepCell tells 'gather' which bytes may still be needed; it
-- is set to the offset when the outermost choice point opens, and to what it
-- was when it closes, so bytes are kept only while one is open.
--
-- * The handler sets 'failedCell', after passing on what is not ours
--   ('catching'), and the alternative runs after it has returned: inside the handler asynchronous
--   exceptions are masked, and alternatives would nest.
-- * If a foreign asynchronous exception froze the evaluation and somebody has
--   taken it up again, the decoder is run again from the choice point.

-- What a choice point remembers: offset, limit, keepCell, emptiesCell, placeCell and
-- depthCell.
data Mark = Mark !Int !Int !Int !Int !Int !Int

-- Open a choice point at the cursor.
open :: Cells -> IO Mark
open c = do
  at <- position c
  limit <- getInt c limitCell
  keep <- getInt c keepCell
  empties <- getInt c emptiesCell
  place <- getInt c placeCell
  depth <- getInt c depthCell
  putInt c keepCell (min keep at)
  pure (Mark at limit keep empties place depth)
{-# INLINE open #-}

-- Close it, and stay where we are.
close :: Cells -> Mark -> IO ()
close c (Mark _ _ keep _ _ _) = putInt c keepCell keep
{-# INLINE close #-}

-- Close it, and go back to it.
back :: Cells -> Env -> Mark -> IO ()
back c env (Mark at limit keep empties place depth) = do
  putInt c limitCell limit
  putInt c emptiesCell empties
  putInt c placeCell place
  putInt c depthCell depth
  returnTo c (envInput env) at
  putInt c keepCell keep
{-# INLINE back #-}

-- | 'empty' fails. @p '<|>' q@ is @q@ from the same place if @p@ fails, however
-- much @p@ has read; the error is that of @q@.
--
-- 'many' and 'some' take as many as they can, in constant memory apart from
-- the result, and end where their decoder succeeds without reading anything.
instance Alternative Get where
  empty = invalid "no alternative left"
  {-# INLINE empty #-}
  p <|> Get q = Get attempt
    where
      attempt c env s0 = case unIO (open c) s0 of
        (# s1, mark #) -> case catching c env p s1 of
          (# s2, Succeeded, a #) -> case unIO (close c mark) s2 of (# s3, _ #) -> (# s3, a #)
          (# s2, HasFailed, _ #) -> case unIO (back c env mark) s2 of (# s3, _ #) -> q c env s3
          (# s2, TakenUpAgain, _ #) -> case unIO (back c env mark) s2 of (# s3, _ #) -> attempt c env s3
  {-# INLINE (<|>) #-}
  some p = (:) <$> p <*> many p
  {-# INLINE some #-}
  many p = step (manyFrom p)
  {-# INLINE many #-}

instance MonadPlus Get

-- How far 'many' has come: the choice point of the round that is under way, and
-- the elements before it, the last first.
data Rounds a = Rounds !Mark [a]

-- One handler around all rounds, and not one for each. How far they have come is
-- written at once, so that an element is neither lost nor taken twice if the
-- rounds are interrupted and taken up again.
manyFrom :: Get a -> Cells -> Env -> IO [a]
manyFrom (Get p) c env = do
  keep <- getInt c keepCell
  first <- open c
  progress <- newIORef (Rounds first [])
  let rounds (Rounds (Mark at _ _ _ _ _) as) = do
        a <- IO (p c env)
        at' <- position c
        if at' == at
          then pure ()
          else do
            -- The choice point before this round closes.
            putInt c keepCell keep
            mark <- open c
            let next = Rounds mark (a : as)
            writeIORef progress next
            rounds next
      -- The choice point of the last round.
      latest = (\(Rounds mark _) -> mark) <$> readIORef progress
      session s0 = case catching c env (step (\_ _ -> readIORef progress >>= rounds)) s0 of
        (# s1, Succeeded, _ #) -> unIO (latest >>= close c) s1
        (# s1, HasFailed, _ #) -> unIO (latest >>= back c env) s1
        (# s1, TakenUpAgain, _ #) -> case unIO (latest >>= back c env >> open c) s1 of (# s2, _ #) -> session s2
  IO session
  (\(Rounds _ as) -> reverse as) <$> readIORef progress
{-# INLINE manyFrom #-}

-- | Run a decoder, and go back to where it began. If it fails, so does this,
-- and the input is where it failed.
--
-- @since 0.1.0.0
lookAhead :: Get a -> Get a
lookAhead (Get p) = Get $ \c env s0 -> case unIO (open c) s0 of
  (# s1, mark #) -> case p c env s1 of
    (# s2, a #) -> case unIO (back c env mark) s2 of (# s3, _ #) -> (# s3, a #)
{-# INLINE lookAhead #-}

-- | Name what a decoder decodes, for its errors. The name is not evaluated
-- unless there is one.
--
-- >>> either (putStrLn . displayException) print (runGet (label "price" getWord32le) "ab")
-- at byte 0, in price: 4 bytes needed, 2 left
--
-- @since 0.1.0.0
label :: String -> Get a -> Get a
label name (Get p) = Get (\c env -> p c env {envContext = Labelled name (envContext env)})
{-# INLINE label #-}

-- | @isolate n p@ runs @p@ on the next @n@ bytes alone: to @p@ the input ends
-- there. Fails if @p@ does, if @n@ is negative, or if @p@ leaves bytes over.
--
-- >>> runGet (isolate 2 getWord16le) "abc"
-- Right 25185
-- >>> either (putStrLn . displayException) print (runGet (isolate 2 getWord8) "abc")
-- at byte 1: isolate: 1 of 2 bytes were not read
--
-- @since 0.1.0.0
isolate :: Int -> Get a -> Get a
isolate n (Get p)
  | n < 0 = invalid "isolate: negative number of bytes"
  | otherwise = Get $ \c env s0 -> case unIO (enter c) s0 of
      (# s1, (at, limit) #) -> case p c env s1 of
        (# s2, a #) -> case unIO (leave c env at limit) s2 of (# s3, _ #) -> (# s3, a #)
  where
    enter c = do
      at <- position c
      limit <- getInt c limitCell
      -- Compared so that nothing overflows; the outer limit stays in force.
      setLimit c (if n < limit - at then at + n else limit)
      pure (at, limit)
    leave c env at limit = do
      now <- position c
      setLimit c limit
      let left = n - (now - at)
      if left == 0 then pure () else failWith c env now (Invalid ("isolate: " ++ show left ++ " of " ++ show n ++ " bytes were not read"))
